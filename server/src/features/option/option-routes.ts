import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { type Language, type NewerVersion, optionApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { AppError, ensure } from '#errors.ts';
import { ensureProvedOrFamily } from '#http/session/recent-proof.ts';
import { type Call, serve } from '#http/serve.ts';
import type { Viewer } from '#http/session/session.ts';
import { askedLanguage } from '#http/reply-language.ts';
import { mailLanguage } from '#mail/mail-language.ts';
import { writeMail } from '#mail/write-mail.ts';
import { rejoinEveryone } from '#features/scim/scim-users.ts';
import { storePicture } from '#features/site/site-pictures.ts';
import { isGuarded } from '#settings/guarded-settings.ts';
import { isSettingKey } from '#settings.ts';
import { isThisMachine } from '#http/outbound/outbound-lookup.ts';
import { isWithin, operatorReach, privateRefusal, worst } from '#http/outbound/reach.ts';
import { hostIn } from '#http/outbound/typed-address.ts';
import { endsOf, networkAround } from '#networks.ts';
import { changeOptions } from './change-options.ts';
import { checkOidc } from './check-oidc.ts';
import { checkUpdate } from './check-update.ts';
import { listOptionChanges, listOptions, valueBefore } from './option-queries.ts';

const DAY_S = 24 * 3600;
/** After a source that failed. */
const RETRY_S = 3600;

const none: NewerVersion = { version: '', address: '' };

/**
 * Returns a function that gives the newest version at the configured source, if it is newer than the running one. The
 * source is read at most once a day, and only while administrators use the console; its failures are logged.
 */
function newerVersionCheck(deps: Deps): () => Promise<NewerVersion> {
  let source = '';
  let found = none;
  let nextTime = 0;
  let reading: Promise<void> | undefined;

  const read = async (): Promise<void> => {
    try {
      const newest = (await checkUpdate(deps)).releases[0];
      found = newest?.newer ? { version: newest.version, address: newest.address } : none;
      nextTime = deps.now() + DAY_S;
    } catch (error) {
      deps.log.warn({ err: error }, 'reading the update source failed');
      nextTime = deps.now() + RETRY_S;
    }
  };
  return async () => {
    const { UpdateSource } = deps.live.settings;
    if (UpdateSource !== source) {
      await reading;
      [source, found, nextTime] = [UpdateSource, none, 0];
    }
    if (source === '') return none;
    if (deps.now() >= nextTime) await (reading ??= read().finally(() => (reading = undefined)));
    return found;
  };
}

const LOOKUP_MS = 5000;

/**
 * Adds a destination's private addresses to the allowed networks. Resolves with the networks added, none if all were
 * allowed already. Throws `outbound.address`, `outbound.unresolved`, `outbound.never`.
 */
async function allowAddress(
  deps: Deps,
  address: string,
  actorId: number,
  language: Language,
): Promise<{ networks: string[] }> {
  const host = hostIn(address);
  ensure(host !== undefined && host !== '', 'outbound.address', { field: 'address' });
  const addresses = await addressesOf(host);
  const reach = operatorReach(deps);
  const verdict = worst(addresses.map(reach));
  if (verdict === 'never') throw privateRefusal({ verdict, host }, 'address');
  const missing = addresses.filter((ip) => reach(ip) !== 'allowed');
  const networks = [...new Set(missing.map((ip) => networkOf(ip, isIP(host) === 0 && !isThisMachine(host), deps)))];
  if (networks.length > 0) await changeOptions(deps, {}, { actorId, language }, networks);
  return { networks };
}

async function addressesOf(host: string): Promise<string[]> {
  if (isIP(host) !== 0) return [host];
  // The server may listen on either.
  if (isThisMachine(host)) return ['127.0.0.1', '::1'];
  const late = AbortSignal.timeout(LOOKUP_MS);
  const given = Promise.withResolvers<never>();
  late.addEventListener('abort', () => given.reject(new Error('timeout')), { once: true });
  const found = await Promise.race([lookup(host, { all: true }), given.promise]).catch(() => []);
  if (found.length === 0) throw new AppError('outbound.unresolved', { field: 'address', host });
  return found.map(({ address }) => address);
}

/** A named host, such as a container, may get another address of the same network on restart. */
function networkOf(ip: string, hasName: boolean, { config }: Deps): string {
  const around = networkAround(ip);
  const ends = endsOf(around);
  const isLoopback = ip === '::1' || ip.startsWith('127.');
  return hasName && !isLoopback && ends.every((end) => isWithin(end, config.outboundPrivate)) ? around : ip;
}

export function optionRoutes(app: FastifyInstance, deps: Deps): void {
  const { db } = deps;

  serve(app, deps, optionApi.list, () => listOptions(db));
  /** Changing a secret, or its destination, needs a proof of identity. */
  const change = async (
    values: Parameters<typeof changeOptions>[1],
    { viewer, language, request }: Call<Viewer>,
  ): Promise<void> => {
    if (Object.keys(values).some((key) => isSettingKey(key) && isGuarded(key)))
      await ensureProvedOrFamily(request, deps);
    await changeOptions(deps, values, { actorId: viewer.id, language });
    if (Object.hasOwn(values, 'TeamsOfGroups')) await rejoinEveryone(deps, request);
  };
  serve(app, deps, optionApi.set, ({ body: { key, value } }, call) => change({ [key]: value }, call));
  serve(app, deps, optionApi.setMany, ({ body: { values } }, call) => change(values, call));
  serve(app, deps, optionApi.allowAddress, ({ body: { address } }, { viewer, language }) =>
    allowAddress(deps, address, viewer.id, language),
  );
  serve(app, deps, optionApi.history, ({ query }) => listOptionChanges(db, query));
  serve(app, deps, optionApi.restore, async ({ params }, call) => {
    const { key, before } = await valueBefore(db, params.id);
    await change({ [key]: before }, call);
  });
  serve(app, deps, optionApi.testMail, async ({ body: { to } }, { request }) => {
    ensure(deps.mailer.isSetUp(), 'option.mail_first');
    const { Language: own, SystemName: site } = deps.live.settings;
    const language = mailLanguage(own, askedLanguage(request));
    await deps.mailer.trySend(to, writeMail({ kind: 'test', language, site }));
  });
  serve(app, deps, optionApi.addPicture, async ({ body: { data } }) => ({ address: await storePicture(deps, data) }));
  serve(app, deps, optionApi.checkOidc, ({ body }) => checkOidc(deps, body));
  serve(app, deps, optionApi.checkUpdate, () => checkUpdate(deps));
  serve(app, deps, optionApi.newerVersion, newerVersionCheck(deps));
}
