import type { Person } from './access-rows.ts'
import { MoveFailed, type OpenCell, rowsOf } from './cell.ts'

/** The e-mail of somebody whom only a log still names. */
const forgotten = (id: string) => `${id}@removed.invalid`

/** What becomes of a person: known in the target by another id (`id`), known there as they are, new, or forgotten there until now. */
type Settled = { person: Person; as: 'other' | 'same' | 'new' | 'forgotten'; id: string }

/**
 * Finds each person in the target, by e-mail, else by id.
 *
 * @throws MoveFailed for an id that belongs to somebody else there
 */
export async function findPeople(target: OpenCell, people: readonly Person[]): Promise<Settled[]> {
  const found = await rowsOf<{ nth: number; same: string | null; email: string | null }>(
    target.client,
    `select p.nth::int, same.id as same, known.email
     from unnest($1::uuid[], $2::text[]) with ordinality as p (id, email, nth)
     left join access.users same on lower(same.email collate "C") = lower(p.email collate "C")
     left join access.users known on known.id = p.id
     order by p.nth`,
    [people.map(({ id }) => id), people.map(({ email }) => email)],
  )
  return found.map(({ nth, same, email }) => {
    const person = people[nth - 1]
    if (person === undefined) throw new Error('more people were found than looked for')
    const { id } = person
    if (same !== null) return { person, as: same === id ? 'same' : 'other', id: same }
    if (email === null) return { person, as: 'new', id }
    if (email === forgotten(id)) return { person, as: 'forgotten', id }
    // The source has forgotten them.
    if (person.email === forgotten(id)) return { person, as: 'same', id }
    throw new MoveFailed(
      `${target.name}: the user ${id} has another e-mail there`,
      'Give both the same e-mail: update access.users set email = … where id = …',
    )
  })
}

/**
 * Finds each person in the target, by e-mail, else by id, or adds them there.
 *
 * @returns the ids that are others in the target, by those in the source
 * @throws MoveFailed for an id that belongs to somebody else there
 */
export async function settlePeople(target: OpenCell, people: readonly Person[]): Promise<Map<string, string>> {
  const settled = await findPeople(target, people)
  for (const { person, as } of settled) {
    const { id, email, name } = person
    if (as === 'new') {
      await target.client.query('insert into access.users (id, email, name, created_at) values ($1, $2, $3, $4)', [
        id,
        email,
        name,
        person.created_at,
      ])
    } else if (as === 'forgotten') {
      await target.client.query('update access.users set email = $2, name = $3 where id = $1', [id, email, name])
    }
  }
  return new Map(settled.flatMap(({ person, as, id }) => (as === 'other' ? [[person.id, id] as const] : [])))
}
