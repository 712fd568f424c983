import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { inStudio, parsed, type Studio, useSql } from '../support.ts'

const sql = useSql()
let studio: Studio
let id: string

beforeEach(async () => {
  studio = await sql.studio()
  id = await studio.add('items', {
    ...{ name: 'U 87', category: 'Microphones', purchase_price: 1000, reported_insured_value: 1500, tags: ['vocal'] },
  })
  await studio.add('item_photos', { item_id: id, storage_key: 'photos/a.jpg' })
})

const ask = async () => {
  const answer = await studio.ask('get_item', id)
  return { ...answer, item: parsed(answer)[0] }
}

const valuation = {
  current_estimated_value: 1000,
  value_source: 'purchase_price',
  coverage_state: 'fully_covered',
  gap_amount: -500,
}
const unavailable = { current_estimated_value: null, value_source: null, coverage_state: null, gap_amount: null }

describe('an item', () => {
  test('has the fields of the list and those of the detail alone, each once', async () => {
    const { item, data } = await ask()
    const names = [...(data ?? '').matchAll(/[{,]"(\w+)":/g)].map((match) => match[1])
    expect(names.sort()).toEqual(
      [
        ...['id', 'name', 'manufacturer', 'model', 'serial_number', 'barcode', 'category', 'tags', 'purchase_price'],
        ...['acquisition_date', 'depreciation_method', 'current_estimated_value', 'value_source'],
        ...['market_value_as_of', 'agreed_value_from_policy', 'reported_insured_value', 'coverage_state', 'gap_amount'],
        ...['location_id', 'created_at', 'updated_at'],
      ].sort(),
    )
    expect(item).toMatchObject({ id, name: 'U 87', tags: ['vocal'], ...valuation })
    expect(data).toContain('"gap_amount":-500.00')
  })

  test('says the same as its element in the list', async () => {
    const [element] = parsed(await studio.ask('list_items', 1, 1, null, null, null))
    expect((await ask()).item).toMatchObject(element ?? {})
  })

  test('has no agreed value in v1, whatever its policies say', async () => {
    const policy_id = await studio.add('policies')
    await studio.add('policy_assignments', { item_id: id, policy_id, declared_value: 999, is_primary: true })
    expect((await ask()).item).toMatchObject({ agreed_value_from_policy: null, value_source: 'purchase_price' })
  })

  test('has the version of its studio', async () => {
    const answer = await studio.ask('get_item', id)
    const { version } = await studio.ask('list_items', 1, 1, null, null, null)
    expect(answer.version).toBe(version)
  })

  test('is answered with the storage keys of its photos beside it, and with none when it has none', async () => {
    expect(await ask()).toMatchObject({ status: 200, photo_keys: ['photos/a.jpg'] })
    const bare = await studio.add('items')
    expect(await studio.ask('get_item', bare)).toMatchObject({ status: 200, photo_keys: [] })
  })
})

describe('404, to the byte the same', () => {
  const missing = { status: 404, plan_tier: 'studio', data: null, photo_keys: null }
  const answerTo = async (itemId: string | null) => {
    const { status, plan_tier, data, photo_keys } = await studio.ask('get_item', itemId)
    return { status, plan_tier, data, photo_keys }
  }

  test('for a malformed id', async () => expect(await answerTo(null)).toEqual(missing))

  test('for an unknown id', async () => expect(await answerTo('00000000-0000-4000-8000-000000000000')).toEqual(missing))

  test('for an item of another studio', async () => {
    const other = await sql.studio()
    expect(await answerTo(await other.add('items'))).toEqual(missing)
  })

  test('for an archived item, which comes back', async () => {
    await studio.change('items', id, { archived_at: '2026-01-01T00:00:00Z' })
    expect(await answerTo(id)).toEqual(missing)
    await studio.change('items', id, { archived_at: null })
    expect((await answerTo(id)).status).toBe(200)
  })
})

describe('when an optional part cannot be read', () => {
  const undo: string[] = []
  const mutation = async (text: string, back: string) => {
    await sql.admin.rows(text)
    undo.push(back)
  }
  afterEach(async () => {
    for (const back of undo.splice(0)) await sql.admin.rows(back)
  })

  const whole = { status: 200, photo_keys: ['photos/a.jpg'] }

  test('a missing projection leaves the rest whole', async () => {
    await inStudio(sql.owner, studio, (s) => s.rows('delete from app.item_valuations'))
    const { item, ...answer } = await ask()
    expect(answer).toMatchObject(whole)
    expect(item).toMatchObject({ id, name: 'U 87', reported_insured_value: 1500, ...unavailable })
  })

  test('a projection that raises leaves the rest whole', async () => {
    await mutation(
      `create function public.broken() returns text language plpgsql as $$ begin raise exception 'broken'; end $$;
       grant usage on schema public to studio_api;
       create or replace view service.item_valuations with (security_invoker = true) as
       select v.item_id, v.current_estimated_value::numeric(14,2) as current_estimated_value, public.broken() as value_source,
         v.coverage_state, v.gap_amount
       from app.item_valuations v`,
      `create or replace view service.item_valuations with (security_invoker = true) as
       select v.item_id, v.current_estimated_value::numeric(14,2) as current_estimated_value, v.value_source,
         v.coverage_state, v.gap_amount
       from app.item_valuations v;
       revoke usage on schema public from studio_api;
       drop function public.broken()`,
    )
    const { item, ...answer } = await ask()
    expect(answer).toMatchObject(whole)
    expect(item).toMatchObject({ id, ...unavailable })
  })

  test('a projection that may not be read leaves the rest whole', async () => {
    await mutation(
      'revoke select (studio_id, item_id, current_estimated_value, value_source, coverage_state, gap_amount) on app.item_valuations from studio_api',
      'grant select (studio_id, item_id, current_estimated_value, value_source, coverage_state, gap_amount) on app.item_valuations to studio_api',
    )
    const { item, ...answer } = await ask()
    expect(answer).toMatchObject(whole)
    expect(item).toMatchObject({ id, ...unavailable })
    expect(await studio.ask('list_items', 1, 50, null, null, null)).toMatchObject({ status: 200, total: '1' })
  })

  test('photos that may not be read are no photos', async () => {
    await mutation(
      'revoke select (studio_id, id, item_id, storage_key, position) on app.item_photos from studio_api',
      'grant select (studio_id, id, item_id, storage_key, position) on app.item_photos to studio_api',
    )
    const { item, ...answer } = await ask()
    expect(answer).toMatchObject({ status: 200, photo_keys: [] })
    expect(item).toMatchObject({ id, ...valuation })
  })

  test('an item that may not be read is an error, not a 404', async () => {
    await mutation(
      'revoke select (name) on app.items from studio_api',
      'grant select (name) on app.items to studio_api',
    )
    await expect(ask()).rejects.toMatchObject({ code: '42501' })
  })

  test('a request that is cancelled is cancelled: no half an answer', async () => {
    const pid = await sql.api.value<number>('select pg_backend_pid()')
    await sql.admin.rows('begin')
    await sql.admin.rows('lock table app.item_valuations in access exclusive mode')
    const waiting = ask().catch((error: unknown) => error)
    for (let cancelled = false; !cancelled; ) {
      cancelled = await sql.admin.value<boolean>(
        `select coalesce(bool_or(pg_cancel_backend(pid)), false) from pg_stat_activity where pid = $1 and wait_event_type = 'Lock'`,
        [pid],
      )
    }
    expect(await waiting).toMatchObject({ code: '57014' })
    await sql.admin.rows('rollback')
  })
})
