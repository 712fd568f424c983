/** A wrong value in the environment. The message is one line: the variable, what it was, what would be right. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}
