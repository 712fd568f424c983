/** What is done to a sound database, and how the rule that finds it calls it. */
export type Offence = {
  title: string
  /** What makes a server sound that is not, in the rule's eyes. */
  prepare?: string
  offend: string
  /** The object of each finding, `:database` stands for the database in use. */
  objects: string[]
  /** Undoes it; without it, the remedy that the rule gives is run, word by word. */
  cure?: string
}
