/** Parameters of a provider's callback. */
export interface OAuthCallbackSearch {
  code?: string | undefined;
  state?: string | undefined;
  /** Issuer: which OpenID provider it is. */
  iss?: string | undefined;
  /** Set instead of `code` after a refusal, e.g. by the visitor. */
  error?: string | undefined;
}

/** The router parses codes and states that look like numbers. */
const text = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;

// The keys are always present: the router would fill missing ones from the typed address.
export const parseOAuthCallback = ({ code, state, iss, error }: Record<string, unknown>): OAuthCallbackSearch => ({
  code: text(code),
  state: text(state),
  iss: text(iss),
  error: text(error),
});
