import pg from 'pg'

/** bigint, numeric, dates, times and intervals stay text as PostgreSQL formats them: nothing is rounded or shifted. */
const textOids = new Set([20, 1700, 1082, 1083, 1114, 1184, 1266, 1186])
const textArrayOids = new Set([1016, 1231, 1182, 1183, 1115, 1185, 1270, 1187])
const textArrayOid: number = 1009

const sameText = (value: string) => value

/** Type parsers for a client or pool of its own; the driver's global ones stay as they are. */
export const plainTypes: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => {
    if (format === 'binary') return pg.types.getTypeParser(oid, format)
    if (textOids.has(oid)) return sameText
    return pg.types.getTypeParser(textArrayOids.has(oid) ? textArrayOid : oid, format)
  },
}
