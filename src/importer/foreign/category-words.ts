import { closestMatch } from '../../domain/text.ts'
import { categories } from '../../domain/vocabulary.ts'

/** The words of musicians and other tools for each category, as the beginnings of words. */
const words: Readonly<Record<(typeof categories)[number], string>> = {
  Microphones: 'mic|mics|microphone|mikro|ribbons|condensers|lavalier',
  'Preamps & Channel Strips':
    'preamp|pre-amp|mic pre|channel strip|vorverst|di box|di-box|d.i.|dis|direct box|direct injection',
  'Outboard — Dynamics & EQ': 'outboard|compressor|limiter|dynamic|equali|eq|eqs|gate|500 series|500-series|processors',
  'Effects & Reverb Units': 'effect|fx|reverb|delay|pedal|stomp|echo|effekt',
  'Mixing Consoles & Summing': 'mixer|mixing|console|desk|summing|mischpult|control surface',
  'Recorders & Tape Machines': 'recorder|tape|cassette|reel|multitrack|dat|adat',
  'Interfaces & Converters': 'interface|converter|ad/da|a/d|d/a|sound card|soundcard|clock|wordclock|wandler',
  'Monitoring & Headphones': 'monitor|headphone|speaker|loudspeaker|cans|in-ear|iem|kopfh|lautsprecher|pa',
  'Guitars & Basses': 'guitar|bass|basses|gitarre|ukulele|strings|banjo|mandolin',
  'Keyboards & Synthesizers': 'key|keys|keyboard|synth|piano|organ|rhodes|midi|sampler|modular|eurorack|drum machine',
  'Drums & Percussion': 'drum|drums|percussion|cymbal|snare|schlagzeug|kit',
  'Amplifiers & Cabinets': 'amp|amps|amplifier|cab|cabs|cabinet|verstärker|combo|backline',
  'Computers & Software':
    'computer|software|plugin|plug-in|laptop|mac|pc|tablet|ipad|license|licence|storage|hard drive|it',
  'Cables, Stands & Accessories':
    'cable|lead|stand|stands|accessor|adapter|case|cases|rack|kabel|stativ|zubehör|patchbay|patch bay|loom|snake|power',
  'Acoustic Treatment & Furniture': 'acoustic|treatment|furniture|absorber|diffus|panel|chair|möbel|bass trap',
  'Other / Uncategorised': 'misc|various|other|unsorted|general|sonstig|diverse|uncategori',
}

/** Words that are whole, because longer ones begin with them: `keys`, not `keystone`. */
const isShort = (word: string) => word.length < 5

/** The category that a word of another tool or person probably means; undefined: none. The longest
 * word decides: `mic pre` is no microphone. */
export function suggestedCategory(theirs: string): string | undefined {
  const text = theirs.trim().toLowerCase()
  const exact = categories.find((name) => name.toLowerCase() === text)
  if (exact !== undefined) return exact
  let best: { name: string; length: number } | undefined
  for (const name of categories) {
    for (const word of words[name].split('|')) {
      const found = new RegExp(
        `(?<!\\p{L})${word.replaceAll('.', '\\.')}${isShort(word) ? 's?(?!\\p{L})' : ''}`,
        'u',
      ).test(text)
      if (found && word.length > (best?.length ?? 0)) best = { name, length: word.length }
    }
  }
  return best?.name ?? closestMatch(theirs, categories)
}
