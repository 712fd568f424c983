import type { Person } from './belongings.ts'
import { MoveFailed, type OpenCell, rowsOf } from './cell.ts'

/** The e-mail of somebody whom only a log still names. */
const forgotten = (id: string) => `${id}@removed.invalid`

/**
 * Finds each person in the target, by e-mail, else by id, or adds them there.
 *
 * @returns the ids that are others in the target, by those in the source
 * @throws MoveFailed for an id that belongs to somebody else there
 */
export async function settlePeople(target: OpenCell, people: readonly Person[]): Promise<Map<string, string>> {
  const others = new Map<string, string>()
  for (const person of people) {
    const [same] = await rowsOf<{ id: string }>(
      target.client,
      'select id from access.users where lower(email collate "C") = lower($1 collate "C")',
      [person.email],
    )
    if (same?.id === person.id) continue
    if (same) {
      others.set(person.id, same.id)
      continue
    }
    const [known] = await rowsOf<{ email: string }>(target.client, 'select email from access.users where id = $1', [
      person.id,
    ])
    if (known === undefined) {
      await target.client.query('insert into access.users (id, email, name, created_at) values ($1, $2, $3, $4)', [
        person.id,
        person.email,
        person.name,
        person.created_at,
      ])
    } else if (known.email === forgotten(person.id)) {
      await target.client.query('update access.users set email = $2, name = $3 where id = $1', [
        person.id,
        person.email,
        person.name,
      ])
    } else if (person.email !== forgotten(person.id)) {
      throw new MoveFailed(
        `${target.name}: the user ${person.id} has another e-mail there`,
        'Give both the same e-mail: update access.users set email = … where id = …',
      )
    }
  }
  return others
}
