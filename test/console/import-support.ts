import type { Page } from './support.ts'

/** A CSV file of these lines. */
export const csv = (...lines: string[]) => new Blob([`${lines.join('\n')}\n`], { type: 'text/csv' })

/** A CSV file of items: their names by their keys. */
export const items = (names: Record<string, string>) =>
  csv('external_key,name,category', ...Object.entries(names).map(([key, name]) => `${key},${name},Microphones`))

/** What a browser sends of the unchanged form that has this button. */
export function formOf({ text }: Page, button: string): Record<string, string> {
  const form = text.split('<form').find((part) => part.split('</form>')[0]?.includes(`>${button}</button>`)) ?? ''
  const fields: Record<string, string> = {}
  for (const [, name = '', value = ''] of form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)) {
    fields[name] = value.replaceAll('&amp;', '&')
  }
  for (const [, name = '', options = ''] of form.matchAll(/<select id="[^"]*" name="([^"]*)"[^>]*>(.*?)<\/select>/gs)) {
    const chosen = /<option value="([^"]*)" selected>/.exec(options) ?? /<option value="([^"]*)"/.exec(options)
    fields[name] = (chosen?.[1] ?? '').replaceAll('&amp;', '&')
  }
  return fields
}
