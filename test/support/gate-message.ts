/** What a gate says when it is red: what is wrong, which file to edit, and which command to run. */
export function gateMessage({ wrong, edit, run }: { wrong: string; edit?: string; run: string }): string {
  return [wrong, ...(edit ? [`  edit: ${edit}`] : []), `  run:  ${run}`, ''].join('\n')
}

/** The same for a generated file; `from` ends "is not what …". Somebody has to read the
 * difference. */
export function rewritten(file: string, from: string): string {
  return gateMessage({
    wrong: `${file} is not what ${from}`,
    run: 'npm run generate   # when that is intended; read the difference',
  })
}
