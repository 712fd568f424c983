/** What an import doubts in a file that it can read. Each doubt refuses the file until somebody
 * accepts it by its name. `accepted` says what the import does then; `label` is the console's
 * question. */
export const doubts = {
  total_rows: { accepted: 'leaves the row out', label: 'Leave out rows that are totals, headings or remarks' },
  quantities: { accepted: 'makes an item of each piece', label: 'Make an item of each piece' },
  sets: { accepted: 'makes one item of the row', label: 'Make one item of each row, whatever its quantity' },
  states: { accepted: 'archives it', label: 'Archive what the file says is sold, lost or archived' },
  years: { accepted: 'takes the date as it is', label: 'These dates are right' },
  date_spans: { accepted: 'takes the first day', label: 'Take the first day of a span of days' },
  error_texts: { accepted: 'leaves the cell empty', label: 'Leave cells with an error, “null” or “NaN” empty' },
  wrong_letters: { accepted: 'takes the text as it is', label: 'Texts with letters such as “Ã¼” are right' },
  comma_lists: { accepted: 'reads several', label: 'Commas separate labels' },
  equal_rows: { accepted: 'imports both', label: 'Equal rows are different things' },
  large_amounts: { accepted: 'takes the amount as it is', label: 'These amounts are right' },
} as const satisfies Record<string, { accepted: string; label: string }>

export type DoubtName = keyof typeof doubts

export const doubtNames = Object.keys(doubts) as [DoubtName, ...DoubtName[]]

/** The doubts that somebody has accepted. */
export type Accepted = ReadonlySet<DoubtName>

/** Doubts about how a file is made. If somebody accepts one, it is accepted for the studio's next file with that
 * header too. The others are about single values. */
export const doubtsOfTheForm: readonly DoubtName[] = [
  ...(['total_rows', 'quantities', 'sets', 'states', 'date_spans', 'comma_lists'] as const),
]

export const acceptOption = (doubt: DoubtName): string => `--accept ${doubt}`
