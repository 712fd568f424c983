import { Command } from 'commander'

/** A command of the program: wrong use of it points to its help. */
export function command(name: string): Command {
  return new Command(name).showHelpAfterError('Add --help to see how it is used.')
}
