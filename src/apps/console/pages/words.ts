/** Said of a studio whose public API is off, wherever a person looks for its tokens. */
export const apiOff = 'The public API is not available for this studio.'

/** Serves: "a tab shown only when the public API feature is enabled"; "the public API is rolling out as a paid-plan feature". */
export const whoTurnsItOn =
  'It is being rolled out: whoever operates this service turns it on for a studio. Owners and admins cannot turn it on, but can ask for it.'
