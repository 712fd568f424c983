import { Argument, type Command } from 'commander'
import { command, type ProgramCommand } from './command.ts'
import { print } from './output.ts'

const shells = ['bash', 'zsh', 'fish'] as const

export function completionCommand(program: () => Command): ProgramCommand {
  return command('completion')
    .description('Print the script with which a shell completes commands and options.')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .notes(`
Examples:
  eval "$(studio-inventory completion bash)"       in ~/.bashrc
  eval "$(studio-inventory completion zsh)"        in ~/.zshrc, after compinit
  studio-inventory completion fish | source        in ~/.config/fish/config.fish`)
    .action((shell: (typeof shells)[number]) => print(scripts[shell](placesOf(program()))))
}

type Word = { word: string; about: string }

/** What may come after the names of commands in `at`, such as an empty text or ' token create'. */
type Place = { at: string; words: Word[]; choices: { option: string; values: readonly string[] }[] }

function placesOf(parent: Command, at = ''): Place[] {
  const { commands, options } = parent
  const visible = options.filter(({ hidden }) => !hidden)
  const words = [
    ...commands.map((each) => ({ word: each.name(), about: firstSentence(each.description()) })),
    ...visible.map(({ long, description }) => ({ word: long ?? '', about: firstSentence(description) })),
    ...parent.registeredArguments.flatMap(({ argChoices = [] }) => argChoices.map((word) => ({ word, about: '' }))),
    { word: '--help', about: 'display help' },
  ]
  const choices = visible.flatMap(({ long, argChoices }) =>
    long && argChoices ? [{ option: long, values: argChoices }] : [],
  )
  return [{ at, words, choices }, ...commands.flatMap((each) => placesOf(each, `${at} ${each.name()}`))]
}

const firstSentence = (text: string) => text.split(/[.:;] |\.$/)[0] ?? ''
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
const listed = (words: readonly string[]) => quoted(words.join(' '))
const pattern = (places: readonly Place[]) => places.flatMap(({ at }) => (at === '' ? [] : quoted(at))).join('|')

const scripts = {
  bash: (places: readonly Place[]) => `_studio_inventory() {
  local at= word candidates=
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at $word" in ${pattern(places)}) at="$at $word" ;; esac
  done
  case "$at \${COMP_WORDS[COMP_CWORD-1]}" in
${places.flatMap(({ at, choices }) => choices.map(({ option, values }) => `    ${quoted(`${at} ${option}`)}) candidates=${listed(values)} ;;`)).join('\n')}
    *) case "$at" in
${places.map(({ at, words }) => `      ${quoted(at)}) candidates=${listed(words.map(({ word }) => word))} ;;`).join('\n')}
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$candidates" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _studio_inventory studio-inventory`,

  zsh: (places: readonly Place[]) => `_studio_inventory() {
  local at= word
  local -a candidates
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in ${pattern(places)}) at="$at $word" ;; esac
  done
  case "$at \${words[CURRENT-1]}" in
${places.flatMap(({ at, choices }) => choices.map(({ option, values }) => `    ${quoted(`${at} ${option}`)}) candidates=(${values.map(quoted).join(' ')}) ;;`)).join('\n')}
    *) case "$at" in
${places.map(({ at, words }) => `      ${quoted(at)}) candidates=(${words.map(({ word, about }) => quoted(`${word}:${about.replaceAll(':', '\\:')}`)).join(' ')}) ;;`).join('\n')}
    esac ;;
  esac
  _describe 'studio-inventory' candidates || _files
}
compdef _studio_inventory studio-inventory`,

  fish: (places: readonly Place[]) => `function __studio_inventory_at
  set -l at ''
  for word in (commandline -opc)[2..]
    contains -- "$at $word" ${places.flatMap(({ at }) => (at === '' ? [] : quoted(at))).join(' ')}; and set at "$at $word"
  end
  test "$at" = "$argv[1]"
end
${places.flatMap(({ at, words, choices }) => words.map(({ word, about }) => fishLine(at, word, about, choices))).join('\n')}`,
}

function fishLine(at: string, word: string, about: string, choices: Place['choices']): string {
  const values = choices.find(({ option }) => option === word)?.values
  const what = word.startsWith('--')
    ? `-l ${word.slice(2)}${values ? ` -x -a ${listed(values)}` : ''}`
    : `-f -a ${word}`
  return `complete -c studio-inventory -n ${quoted(`__studio_inventory_at "${at}"`)} ${what} -d ${quoted(about)}`
}
