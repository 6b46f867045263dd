/** Refusals with their own status, even while the site answers clients of the product family. */
export const nativeForm = { 'X-Relay-Envelope': 'native' } as const;
