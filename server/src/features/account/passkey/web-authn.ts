/** The library that knows passkeys, loaded when the first one is asked for: many servers have none. */
export const webAuthn = () => import('@simplewebauthn/server');
