/** An invalid value in the environment. The message is one line: the variable, its value, what is accepted. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}
