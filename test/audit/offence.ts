/** What is done to a sound database, and how the rule calls what it finds (`:database` stands for
 * the database in use). `cure` undoes it; without it, the remedy that the rule gives is run, word
 * by word. `prepare` makes a server sound that is not, in the rule's eyes. */
export type Offence = readonly [offend: string, objects: string | string[], cure?: string, prepare?: string]
