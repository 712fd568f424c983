import { closestMatch } from '../../domain/text.ts'
import { categories } from '../../domain/vocabulary.ts'

/** The words of musicians and other tools for each category. A longer word may be a part of one: `verstärker`. */
const words: Readonly<Record<(typeof categories)[number], string>> = {
  Microphones: 'mic|microphone|mikro|ribbon|condenser|lavalier|funkstrecke',
  'Preamps & Channel Strips':
    'preamp|pre-amp|pre|channel strip|vorverstärker|di|di box|di-box|d.i.|direct box|direct injection',
  'Outboard — Dynamics & EQ':
    'outboard|compressor|kompressor|limiter|dynamic|equali|eq|gate|500 series|500-series|processors',
  'Effects & Reverb Units': 'effect|fx|reverb|delay|pedal|stomp|echo|effekt',
  'Mixing Consoles & Summing': 'mixer|mixing|console|desk|summing|mischpult|control surface',
  'Recorders & Tape Machines': 'recorder|tape|cassette|reel|multitrack|dat|adat|bandmaschine',
  'Interfaces & Converters': 'interface|converter|ad/da|a/d|d/a|sound card|soundcard|clock|wordclock|wandler',
  'Monitoring & Headphones': 'monitor|headphone|speaker|loudspeaker|cans|in-ear|iem|kopfh|lautsprecher|pa',
  'Guitars & Basses': 'guitar|bass|basses|bässe|gitarre|ukulele|strings|banjo|mandolin',
  'Keyboards & Synthesizers':
    'key|keyboard|synth|piano|klavier|organ|orgel|tasten|rhodes|midi|sampler|modular|eurorack|drum machine|drumcomputer',
  'Drums & Percussion': 'drum|percussion|cymbal|becken|snare|schlagzeug|kit',
  'Amplifiers & Cabinets': 'amp|amplifier|cab|cabinet|verstärker|endstufe|combo|kombo|backline',
  'Computers & Software':
    'computer|software|plugin|plug-in|laptop|mac|pc|tablet|ipad|license|licence|storage|hard drive|rechner|it',
  'Cables, Stands & Accessories':
    'cable|lead|stand|accessor|adapter|case|rack|kabel|stativ|ständer|zubehör|patchbay|patch bay|loom|snake|multicore|stage box|stagebox|flightcase|koffer|power',
  'Acoustic Treatment & Furniture':
    'acoustic|treatment|furniture|akustik|absorber|diffus|panel|chair|stuhl|stühle|möbel|bass trap',
  'Other / Uncategorised': 'misc|various|other|unsorted|general|sonstig|verschieden|diverse|uncategori',
}

/** Short words stand alone, in singular or plural, because longer ones contain them: `keys`, not `keystone`. */
const isShort = (word: string) => word.length < 5

const patterns = categories.flatMap((name) =>
  words[name].split('|').map((word) => {
    const text = word.replaceAll('.', '\\.')
    return { name, pattern: new RegExp(isShort(word) ? `(?<!\\p{L})${text}s?(?!\\p{L})` : text, 'u') }
  }),
)

/** Suggests a category for a word of another tool or person; undefined without one. The word that ends last
 * decides, because `mic stands` are stands; of several that end there, the longest. */
export function suggestedCategory(theirs: string): string | undefined {
  const text = theirs.trim().toLowerCase()
  const exact = categories.find((name) => name.toLowerCase() === text)
  if (exact !== undefined) return exact
  let best: { name: string; end: number; length: number } | undefined
  for (const { name, pattern } of patterns) {
    const found = pattern.exec(text)
    if (found === null) continue
    const [{ length }, end] = [found[0], found.index + found[0].length]
    if (best === undefined || end > best.end || (end === best.end && length > best.length)) best = { name, end, length }
  }
  return best?.name ?? closestMatch(theirs, categories)
}
