/** What a file can contain, in the words of the console. */
export const kindLabels: Readonly<Record<string, string>> = {
  locations: 'Locations',
  items: 'Items',
  policies: 'Policies',
  assignments: 'Assignments of items to policies',
  maintenance: 'Maintenance',
  'market-values': 'Market values',
}

/** The same within a sentence. */
export const kindInWords = (name: string): string => (kindLabels[name] ?? name).toLowerCase()
