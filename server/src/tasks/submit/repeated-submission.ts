/**
 * Submissions that are sent again. Clients repeat a request whose answer they did not receive, and each would be a
 * further task with its own charge. Two rules find the first one's task:
 *
 * - With the header `Idempotency-Key`, a second submission of the token with that key gets the task of the first, for a
 *   day. Another body with the same key is refused.
 * - Without it, an equal body of the same token at the same path gets the earlier task only if that one's connection
 *   was closed before its answer had left, within the last minutes, and only once. Equal submissions whose answers
 *   arrive are separate tasks.
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Deps } from '#deps.ts';
import type { Json } from '#json.ts';
import type { HttpContext } from '#relay/types/call-types.ts';
import { badRequest, RelayError } from '#relay/reply/relay-error.ts';

const KEY_S = 24 * 3600;
const UNANSWERED_S = 300;
/** A running submission whose node died is not waited for any longer. */
const CLAIM_S = 180;
const WAIT_MS = 65_000;
const PAUSE_MS = 200;
const LONGEST_KEY = 255;

type RepeatDeps = Pick<Deps, 'db' | 'now'>;

/** Distinguishes a submission from others. */
export interface SubmissionIdentity {
  key: string;
  /** The caller sent an Idempotency-Key. */
  isNamed: boolean;
  bodyHash: string;
}

/** Thrown where a submission repeats an earlier one, which is answered instead. */
export class RepeatedSubmission extends Error {
  readonly taskId: string;
  constructor(taskId: string) {
    super('this submission repeats an earlier one');
    this.taskId = taskId;
  }
}

const hashOf = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url');

/** Throws a 400 for a key that is too long. */
export function identityOf(
  { request }: HttpContext,
  tokenId: number,
  endpoint: string,
  body: Json,
): SubmissionIdentity {
  const named = request.headers['idempotency-key'];
  const bodyHash = hashOf(JSON.stringify(body));
  if (typeof named !== 'string' || named === '')
    return { key: hashOf('body', String(tokenId), endpoint, bodyHash), isNamed: false, bodyHash };
  if (named.length > LONGEST_KEY)
    throw badRequest(`The Idempotency-Key is longer than ${LONGEST_KEY} characters.`, 'Idempotency-Key');
  return { key: hashOf('key', String(tokenId), endpoint, named), isNamed: true, bodyHash };
}

/** Notes of this process that are being written, by key. A repeat may come first. */
const notes = new Map<string, Promise<unknown>>();

/** Throws `RepeatedSubmission` for a repeat, once the first submission has ended. A new one with a key is claimed. */
export async function checkRepeated(context: HttpContext, identity: SubmissionIdentity): Promise<void> {
  const { deps, response, shutdown } = context;
  const until = Date.now() + WAIT_MS;
  for (;;) {
    await notes.get(identity.key);
    const isClaimed = !identity.isNamed && (await findClaim(deps, identity));
    // A task is noted before its claim ends, so it is looked for after the claim.
    const taskId = isClaimed
      ? undefined
      : await (identity.isNamed ? taskOfKey(deps, identity) : takeUnanswered(deps, identity));
    if (taskId !== undefined) throw new RepeatedSubmission(taskId);
    if (identity.isNamed ? await claim(deps, identity) : !isClaimed) break;
    if (Date.now() > until || response.destroyed || shutdown.isStopping) throw stillRunning();
    await sleep(PAUSE_MS);
  }
  if (!identity.isNamed) return;
  // The first one may have ended between the two looks.
  const taskId = await taskOfKey(deps, identity);
  if (taskId === undefined) return;
  await endClaim(deps, identity);
  throw new RepeatedSubmission(taskId);
}

async function taskOfKey({ db, now }: RepeatDeps, { key, bodyHash }: SubmissionIdentity): Promise<string | undefined> {
  const found = await db
    .selectFrom('tasks')
    .where('request_key', '=', key)
    .where('created_at', '>', now() - KEY_S)
    .select(['task_id', 'request'])
    .executeTakeFirst();
  if (found && found.request['body_hash'] !== bodyHash)
    throw badRequest('The Idempotency-Key was used for another request.', 'Idempotency-Key');
  return found?.task_id;
}

/** Each unanswered task answers one repeat. */
async function takeUnanswered({ db, now }: RepeatDeps, { key }: SubmissionIdentity): Promise<string | undefined> {
  const waiting = await db
    .selectFrom('tasks')
    .where('request_key', '=', key)
    .where('created_at', '>', now() - UNANSWERED_S)
    .select('id')
    .orderBy('id')
    .execute();
  for (const { id } of waiting) {
    const taken = await db
      .updateTable('tasks')
      .set({ request_key: '' })
      .where('id', '=', id)
      .where('request_key', '=', key)
      .returning('task_id')
      .executeTakeFirst();
    if (taken) return taken.task_id;
  }
  return undefined;
}

async function findClaim({ db, now }: RepeatDeps, { key }: SubmissionIdentity): Promise<boolean> {
  const found = await db
    .selectFrom('task_claims')
    .where('request_key', '=', key)
    .where('created_at', '>', now() - CLAIM_S)
    .select('request_key')
    .executeTakeFirst();
  return found !== undefined;
}

/** Returns false if another submission has the claim. */
async function claim({ db, now }: RepeatDeps, { key }: SubmissionIdentity): Promise<boolean> {
  await db
    .deleteFrom('task_claims')
    .where('created_at', '<=', now() - CLAIM_S)
    .execute();
  const own = await db
    .insertInto('task_claims')
    .values({ request_key: key, created_at: now() })
    .onConflict((conflict) => conflict.column('request_key').doNothing())
    .returning('request_key')
    .executeTakeFirst();
  return own !== undefined;
}

const endClaim = ({ db }: RepeatDeps, { key }: SubmissionIdentity) =>
  db.deleteFrom('task_claims').where('request_key', '=', key).execute();

const stillRunning = (): RelayError =>
  new RelayError(409, 'The first request like this one is still running.', {
    type: 'invalid_request_error',
    code: 'request_in_progress',
    retryAfter: '5',
  });

/** The submission of one request, watched until its answer has left. */
export class WatchedSubmission {
  readonly #deps: Deps;
  readonly #identity: SubmissionIdentity;
  readonly #response: HttpContext['response'];
  #taskId = '';
  #writes: Promise<unknown> = Promise.resolve();

  constructor({ deps, response }: HttpContext, identity: SubmissionIdentity) {
    this.#deps = deps;
    this.#identity = identity;
    this.#response = response;
    if (identity.isNamed) return;
    const onClose = () => {
      if (!response.writableFinished) this.#write(() => this.#noteUnanswered());
    };
    if (response.destroyed) onClose();
    else response.once('close', onClose);
  }

  /** Key that is written with the task's row: of tasks without an Idempotency-Key, only unanswered ones have it. */
  get requestKey(): string {
    return this.#identity.isNamed ? this.#identity.key : '';
  }

  get bodyHash(): string {
    return this.#identity.bodyHash;
  }

  /** Without an answer so far, repeats wait for the task; with one, they find it. */
  async #noteUnanswered(): Promise<void> {
    const { key } = this.#identity;
    if (this.#taskId === '') await claim(this.#deps, this.#identity);
    else
      await this.#deps.db.updateTable('tasks').set({ request_key: key }).where('task_id', '=', this.#taskId).execute();
  }

  /** The submission has ended; empty: without a task. */
  async ended(taskId: string): Promise<void> {
    this.#taskId = taskId;
    const isUnanswered = !this.#identity.isNamed && this.#response.destroyed;
    if (!isUnanswered && !this.#identity.isNamed) return;
    this.#write(async () => {
      if (isUnanswered && taskId !== '') await this.#noteUnanswered();
      await endClaim(this.#deps, this.#identity);
    });
    await this.#writes;
  }

  /** One write after the other: a claim must not be written after its end. */
  #write(work: () => Promise<void>): void {
    const { key } = this.#identity;
    const written = this.#writes
      .then(work)
      .catch((error: unknown) => {
        this.#deps.log.warn({ err: error }, 'a submission that may be repeated was not noted');
      })
      .finally(() => notes.get(key) === written && notes.delete(key));
    this.#writes = written;
    notes.set(key, written);
  }
}
