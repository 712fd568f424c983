/** What pages say where the public API of a studio is off. */
export const apiOff = 'The public API is not available for this studio.'

/** Serves: "a tab shown only when the public API feature is enabled"; "the public API is rolling out as a paid-plan feature". */
export const whoTurnsItOn =
  'It is being rolled out: the operator of this service turns it on for a studio. Owners and admins can ask for it.'
