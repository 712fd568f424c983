/** The formats of a report, with the content type of each. */
export const formats = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pdf: 'application/pdf',
} as const

export type Format = keyof typeof formats

export const isFormat = (text: string): text is Format => Object.hasOwn(formats, text)
