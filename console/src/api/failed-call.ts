import { userApi, type Endpoint, type Envelope, type Self, type SessionUser } from '@relay-hub/contract';
import { i18n } from '#i18n/t.ts';
import { loadTexts } from '#i18n/i18n.ts';
import { chooseAccount } from './account.ts';
import { ApiError } from './api-error.ts';
import { fetchAnswer, type Answer } from './call.ts';
import { askForProof, proofNeeded } from './proof.ts';
import { currentUser, endedKey, isConsole, openPage, session, userKey } from './session.ts';
import { storage } from './storage.ts';

/**
 * Handles a call that did not succeed: resolves when it may be retried because a session or a proof of identity is
 * there now, and throws the refusal otherwise. Only queries, which have a signal, wait for a session; without
 * `answer` they were not sent at all. `user` is the account that made the call.
 */
export async function recoverOrThrow(
  answer: Answer | undefined,
  { method }: Endpoint,
  signal: AbortSignal | undefined,
  user: SessionUser | undefined,
): Promise<void> {
  if (answer && answer.status !== 401) {
    if (isProofWanted(answer) && (await askForProof())) return;
    if (hasLeft(answer) && user) chooseAccount(user.id);
    throw await refusalOf(answer.status, answer.envelope);
  }
  // If another session started meanwhile, the answer does not concern it.
  if (answer && session.get().user === user) endSession();
  if (answer && !currentUser()) throw await refusalOf(answer.status, answer.envelope);
  if (!signal) throw await signInRequired(method !== 'GET');
  await nextSignIn(signal);
}

const isProofWanted = ({ status, envelope }: Answer): boolean =>
  status === 403 && envelope?.success === false && envelope.code === proofNeeded;

/** The person is no longer a member of the team that they act for. */
const hasLeft = ({ envelope }: Answer): boolean => envelope?.success === false && envelope.code === 'account.none';

/** Forgets the account. An open page of the console stays below the sign-in dialog. */
export function endSession(): void {
  const { user } = session.get();
  if (!user) return;
  // Set first, so that other tabs see it when the account is removed.
  storage.set(endedKey, String(user.id));
  storage.remove(userKey);
  const ended = { user, endedAt: Date.now(), asking: true, pressed: false, unsent: false };
  session.set({ user: undefined, ended: openPage.isRead && isConsole() ? ended : undefined });
}

/** Opens the sign-in dialog over the page of an ended session. */
export function askToSignIn(unsent = false): void {
  const { user, ended } = session.get();
  if (ended) session.set({ user, ended: { ...ended, asking: true, pressed: true, unsent: unsent || ended.unsent } });
}

/** Opens the sign-in dialog; the error is for the refused action. */
async function signInRequired(unsent: boolean): Promise<ApiError> {
  askToSignIn(unsent);
  await loadTexts('signInAgain');
  return new ApiError({ status: 401, message: i18n.translator('signInAgain')('signedOut') });
}

/** The signed-in account according to the server; undefined without a session or an answer. */
export async function fetchSignedInUser(): Promise<Self | undefined> {
  try {
    const { envelope } = await fetchAnswer(userApi.self, {});
    return envelope?.success ? (envelope.data as Self) : undefined; // as in `call`
  } catch {
    // No answer: unknown, as without a session.
    return undefined;
  }
}

function nextSignIn(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = () => {
      if (!session.get().user) return;
      stop();
      resolve();
    };
    const stop = session.subscribe(look);
    signal.addEventListener('abort', () => {
      stop();
      reject(new DOMException('', 'AbortError'));
    });
    look();
  });
}

/**
 * The error for an unsuccessful answer. A status without a message, as sent by a proxy, gets one of ours; an envelope
 * that only reports a failure has none, and its caller knows the meaning.
 */
export async function refusalOf(status: number, envelope: Envelope<unknown> | undefined): Promise<ApiError> {
  const message = envelope?.message ?? '';
  return new ApiError({ ...envelope, status, message: message || (status >= 400 ? await messageFor(status) : '') });
}

async function messageFor(status: number): Promise<string> {
  // A call of the first page can fail before its texts are loaded.
  await loadTexts('app');
  const t = i18n.translator('app');
  switch (status) {
    case 405:
      return t('error.demo');
    case 413:
      return t('error.tooLarge');
    case 429:
      return t('error.tooMany');
    case 500:
      return t('error.server');
    default:
      return t('error.status', { status });
  }
}
