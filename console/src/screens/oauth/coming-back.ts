/** What a provider sends people back with. */
export interface ComingBack {
  code?: string | undefined;
  state?: string | undefined;
  /** Which OpenID provider it is. */
  iss?: string | undefined;
  /** Why there is no code: the visitor said no, for one. */
  error?: string | undefined;
}

/** Codes and states may look like numbers; the router has read them as such. */
const text = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;

// The keys are always there: what is left out would be taken from the address as it was typed.
export const comingBack = ({ code, state, iss, error }: Record<string, unknown>): ComingBack => ({
  code: text(code),
  state: text(state),
  iss: text(iss),
  error: text(error),
});
