/** Loaded on first use, since many installations have no passkeys. */
export const webAuthn = () => import('@simplewebauthn/server');
