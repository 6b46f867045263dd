import type { AuditDetail } from '@relay-hub/contract';
import { isAdmin, role } from '@relay-hub/contract';
import type { DeclaredEndpoint } from '@relay-hub/contract/registry';
import type { FastifyRequest } from 'fastify';
import type { Insertable } from 'kysely';
import { withWitness } from '#db/before-commit.ts';
import type { Db, Tables } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { AppError } from '#errors.ts';
import { bearsToken } from '#http/session/access-token.ts';
import { clientIp } from '#http/client-ip.ts';
import { personOf, type Viewer } from '#http/session/session.ts';
import type { Trail } from '#http/trail.ts';
import { idIn, idOut, isQuestion, isRecord, nameOf, ownAccount, readSubject, subjectOf } from './audit-subject.ts';
import { maskedInput, maskedRow } from './mask.ts';

/** Refusals recorded per non-administrator; more would only fill the log. */
const NOTED_REFUSALS = 20;
const NOTED_WINDOW_S = 3600;

type AuditRow = Insertable<Tables['audit']>;

const isForAdmins = ({ audience }: DeclaredEndpoint): boolean => audience === 'admin' || audience === 'root';

/**
 * Whether calls of an endpoint are recorded: all calls of administrators' endpoints, and administrators' changes to
 * their own accounts, tokens and sign-in methods, because those grant administrator access.
 */
export const isAudited = ({ audience, changes, method, path }: DeclaredEndpoint): boolean =>
  changes && audience !== 'public' && !isQuestion(method, path);

/**
 * Records one administrative call. The row is inserted with the first transaction that the call commits and completed
 * after the reply; without a transaction, or after a refusal, it is inserted then.
 */
export class AuditTrail implements Trail {
  readonly #deps: Deps;
  readonly #request: FastifyRequest;
  readonly #subject: ReturnType<typeof subjectOf>;
  readonly #endpoint: DeclaredEndpoint;
  /** Whether the change is to the account of the caller. */
  readonly #isOwn: boolean;
  #viewer: Viewer | undefined;
  /** The team whose account is changed, by the choice of the caller or by the path. */
  #account: number | null = null;
  #objectId = '';
  #before: Record<string, unknown> | undefined;
  #sent: Record<string, unknown> | undefined;
  #input: AuditDetail['input'] = null;
  #written: number | undefined;
  #ended = false;

  constructor(endpoint: DeclaredEndpoint, request: FastifyRequest, deps: Deps) {
    this.#endpoint = endpoint;
    this.#request = request;
    this.#deps = deps;
    const subject = subjectOf(endpoint.path);
    this.#isOwn = !isForAdmins(endpoint) && subject.owner === undefined && subject.kind !== 'team';
    this.#subject = this.#isOwn ? ownAccount : subject;
  }

  by(viewer: Viewer): void {
    this.#viewer = viewer;
    if (viewer.member) this.#account = viewer.id;
    if (this.#isOwn) this.#objectId = String(viewer.id);
  }

  /** Changes to one's own account are recorded for administrators only, those to the account of a team always. */
  #isNoted(): boolean {
    const isOfTeam = this.#account !== null || this.#subject.kind === 'team';
    return isForAdmins(this.#endpoint) || isOfTeam || isAdmin(this.#rank());
  }

  #rank = (): number => this.#viewer?.member?.rank ?? this.#viewer?.role ?? role.guest;

  #read(db: Db): Promise<Record<string, unknown> | undefined> {
    return readSubject(db, this.#subject, this.#objectId, this.#viewer?.id ?? 0);
  }

  async around<T>(input: { params?: unknown; query?: unknown; body?: unknown }, work: () => Promise<T>): Promise<T> {
    if (!this.#isNoted()) return work();
    this.#input = maskedInput(input);
    if (!this.#isOwn) this.#objectId = await idIn(this.#deps.db, this.#subject, input);
    this.#sent = isRecord(input.body) ? input.body : undefined;
    this.#before = await this.#read(this.#deps.db);
    if (this.#subject.table === 'users' && this.#before?.['kind'] === 'team') this.#account = Number(this.#objectId);
    return withWitness(async (trx) => {
      if (this.#ended || this.#written !== undefined) return;
      this.#written = await this.#insert(trx, await this.#row(trx, { status: 200, code: '' }));
    }, work);
  }

  /** Completes the entry of a successful call. */
  async done(answer: unknown): Promise<void> {
    // A created record is identified by its new id rather than by the name that was sent.
    if (!/^\d+$/.test(this.#objectId) && this.#subject.by === undefined && !this.#isOwn)
      this.#objectId = idOut(answer) || this.#objectId;
    if (this.#subject.kind === 'team' && /^\d+$/.test(this.#objectId)) this.#account = Number(this.#objectId);
    await this.#close({ status: 200, code: '' });
  }

  /** Completes the entry of a refused or failed call. */
  async failed(error: unknown): Promise<void> {
    const refusal = error instanceof AppError ? error : new AppError('server.failed');
    await this.#close({ status: refusal.status, code: refusal.code });
  }

  async #close(result: { status: number; code: string }): Promise<void> {
    this.#ended = true;
    const viewer = this.#viewer;
    const isDone = result.code === '' && this.#account !== null;
    if (!viewer || !this.#isNoted() || !(isDone || (await this.#isWorthIt(personOf(viewer))))) return;
    const { db, log } = this.#deps;
    try {
      const row = await this.#row(db, result);
      // An insert inside a transaction that was rolled back is gone.
      if (this.#written !== undefined && (await this.#complete(db, this.#written, row))) return;
      await this.#insert(db, row);
    } catch (error) {
      log.error({ err: error, user: viewer.id, path: this.#endpoint.path, ...result }, 'audit entry not written');
    }
  }

  async #isWorthIt(person: number): Promise<boolean> {
    if (isAdmin(this.#rank())) return true;
    return (await this.#deps.limiter.hit(`audit:${person}`, NOTED_REFUSALS, NOTED_WINDOW_S)) === 0;
  }

  async #row(db: Db, { status, code }: { status: number; code: string }): Promise<AuditRow> {
    const { config, now } = this.#deps;
    const after = await this.#read(db);
    // A refused caller must not get the record's contents through the log.
    const isRefusal = code !== '' && status < 500 && this.#written === undefined;
    const rowJson = (row: Record<string, unknown> | undefined) => JSON.stringify(row ? maskedRow(row) : null);
    return {
      created_time: now(),
      actor_id: this.#viewer ? personOf(this.#viewer) : 0,
      actor_name: this.#viewer?.member?.username ?? this.#viewer?.username ?? '',
      actor_role: this.#rank(),
      ip: clientIp(this.#request.raw, config.trustedProxies),
      user_agent: (this.#request.headers['user-agent'] ?? '').slice(0, 300),
      via: bearsToken(this.#request) ? 'access_token' : 'session',
      method: this.#endpoint.method,
      path: this.#endpoint.path,
      kind: this.#subject.kind,
      object_id: this.#objectId,
      object_name:
        nameOf(this.#subject, after) ||
        nameOf(this.#subject, this.#before) ||
        nameOf(this.#subject, this.#sent) ||
        // Settings are named by their keys.
        (this.#subject.kind === 'option' ? this.#objectId.slice(0, 200) : ''),
      status,
      code,
      // Attempts of strangers do not concern the team.
      account_id: code === 'record.not_found' ? null : this.#account,
      input: JSON.stringify(this.#input),
      before: rowJson(isRefusal ? undefined : this.#before),
      after: rowJson(isRefusal ? undefined : after),
    };
  }

  async #insert(db: Db, row: AuditRow): Promise<number> {
    const { id } = await db.insertInto('audit').values(row).returning('id').executeTakeFirstOrThrow();
    return id;
  }

  async #complete(db: Db, id: number, row: AuditRow): Promise<boolean> {
    const completed = await db.updateTable('audit').set(row).where('id', '=', id).returning('id').executeTakeFirst();
    return completed !== undefined;
  }
}
