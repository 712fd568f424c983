/** A change of a sound database, and what a rule says about it (`:database` stands for the database
 * in use). `cure` undoes the change. Without it, the test runs the remedy that the rule gives, word
 * by word. `prepare` makes a server sound that is not, by that rule. */
export type Offence = readonly [offend: string, objects: string | string[], cure?: string, prepare?: string]
