import pg from 'pg'

/** A name as SQL writes it: for statements that take no parameters. */
export const escapeIdentifier: (name: string) => string = pg.escapeIdentifier

/** A text as SQL writes it: for statements that take no parameters. */
export const escapeLiteral: (text: string) => string = pg.escapeLiteral
