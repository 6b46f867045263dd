import { userApi, type Endpoint, type Envelope, type Self, type SessionUser } from '@relay-hub/contract';
import i18next from 'i18next';
import { loadTexts } from '#i18n/i18n.ts';
import { ApiError } from './api-error.ts';
import { answerTo, type Answer } from './call.ts';
import { askForProof, proofNeeded } from './proof.ts';
import { currentUser, endedKey, isConsole, openPage, session, userKey } from './session.ts';
import { storage } from './storage.ts';

/**
 * What follows a call without success: resolves when it may be sent again, because a session or a proof that was missing
 * is there now. Only queries, which have a signal, wait for a session; without `answer` they were not even sent. Throws
 * the refusal otherwise. `user` is whose call it was.
 */
export async function untilLetIn(
  answer: Answer | undefined,
  { method }: Endpoint,
  signal: AbortSignal | undefined,
  user: SessionUser | undefined,
): Promise<void> {
  if (answer && answer.status !== 401) {
    if (isProofWanted(answer) && (await askForProof())) return;
    throw await refusalOf(answer.status, answer.envelope);
  }
  // Where another session has begun since, the answer says nothing of it.
  if (answer && session.get().user === user) endSession();
  if (answer && !currentUser()) throw await refusalOf(answer.status, answer.envelope);
  if (!signal) throw await refusedUntilSignIn(method !== 'GET');
  await signedInAgain(signal);
}

const isProofWanted = ({ status, envelope }: Answer): boolean =>
  status === 403 && envelope?.success === false && envelope.code === proofNeeded;

/** Empties the stored account. An open page of the console is kept under the sign-in dialog. */
export function endSession(): void {
  const { user } = session.get();
  if (!user) return;
  // First, so that other tabs see it when the account goes.
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

/** Opens the sign-in dialog, and gives the refusal of what was pressed without a session. */
async function refusedUntilSignIn(unsent: boolean): Promise<ApiError> {
  askToSignIn(unsent);
  await loadTexts('signInAgain');
  return new ApiError({ status: 401, message: i18next.t('signedOut', { ns: 'signInAgain' }) });
}

/** Who the browser is signed in as, asked of the server itself; undefined without a session or an answer. */
export async function whoIsSignedIn(): Promise<Self | undefined> {
  try {
    const { envelope } = await answerTo(userApi.self, {});
    return envelope?.success ? (envelope.data as Self) : undefined; // as in `call`
  } catch {
    return undefined;
  }
}

function signedInAgain(signal: AbortSignal): Promise<void> {
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
 * The error for an answer that is no success. A status without words, as a proxy on the way gives it, gets ours; an
 * envelope that only says no has none, and whoever asked knows what that means.
 */
export async function refusalOf(status: number, envelope: Envelope<unknown> | undefined): Promise<ApiError> {
  const told = envelope?.message ?? '';
  return new ApiError({ ...envelope, status, message: told || (status >= 400 ? await wordsFor(status) : '') });
}

async function wordsFor(status: number): Promise<string> {
  // A call of the first page can fail before its texts are there.
  await loadTexts('app');
  const t = i18next.getFixedT(null, 'app');
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
