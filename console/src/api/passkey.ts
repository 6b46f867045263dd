import { passkeyApi, proofApi, type InputOf, type Passkey, type ReplyOf, type SessionUser } from '@relay-hub/contract';
import { call } from './call.ts';

const load = () => import('@simplewebauthn/browser');

/** Browsers offer passkeys only on secure pages and for named hosts, not IP addresses. */
export const canUsePasskeys = (): boolean =>
  isSecureContext && 'PublicKeyCredential' in globalThis && !/^[\d.]+$|^\[/.test(location.hostname);

/** Runs a browser ceremony; undefined when the user cancelled it or it timed out. */
async function unlessCancelled<T>(ceremony: Promise<T>): Promise<T | undefined> {
  try {
    return await ceremony;
  } catch (error) {
    if (error instanceof Error && (error.name === 'NotAllowedError' || error.name === 'AbortError')) return undefined;
    throw error;
  }
}

/** Asks the browser for a passkey. The contract checks input and output, on the server. */
async function ask(options: ReplyOf<typeof proofApi.beginPasskey>): Promise<Answer | undefined> {
  const { startAuthentication } = await load();
  const optionsJSON = options as Parameters<typeof startAuthentication>[0]['optionsJSON']; // as the server made them
  const answer = await unlessCancelled(startAuthentication({ optionsJSON }));
  return answer && { ...answer, clientExtensionResults: {} };
}

type Answer = InputOf<typeof passkeyApi.signIn>['body'];

/** Signs in with a passkey; undefined when it was cancelled. */
export async function signInWithPasskey(): Promise<SessionUser | undefined> {
  const body = await ask(await call(passkeyApi.beginSignIn));
  return body && call(passkeyApi.signIn, { body });
}

/** Proves the user's identity with a passkey; false when cancelled. */
export async function proveByPasskey(): Promise<boolean> {
  const body = await ask(await call(proofApi.beginPasskey));
  if (body) await call(proofApi.byPasskey, { body });
  return body !== undefined;
}

/** Creates a passkey for the signed-in account; undefined when cancelled, `known` when the device has one already. */
export async function makePasskey(name: string): Promise<Passkey | 'known' | undefined> {
  const options = await call(passkeyApi.begin);
  const { startRegistration } = await load();
  const optionsJSON = options as Parameters<typeof startRegistration>[0]['optionsJSON']; // the server's own, see the contract
  try {
    const made = await unlessCancelled(startRegistration({ optionsJSON }));
    return made && (await call(passkeyApi.add, { body: { name, made: { ...made, clientExtensionResults: {} } } }));
  } catch (error) {
    if (error instanceof Error && error.name === 'InvalidStateError') return 'known';
    throw error;
  }
}
