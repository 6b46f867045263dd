import { registerApi } from '@relay-hub/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { getEnabledUser } from '#features/account/access/account-session.ts';
import { completeSignIn } from '#features/account/second-factor/complete-sign-in.ts';
import { notifyPasswordChange } from '#features/account/user/notify-password-change.ts';
import { randomText } from '#secrets.ts';
import { clientIp } from '#http/client-ip.ts';
import { ensureProvedOrFamily } from '#http/session/recent-proof.ts';
import { serve } from '#http/serve.ts';
import { ensureHuman } from '#http/session/turnstile.ts';
import { askedLanguage } from '#http/reply-language.ts';
import { holdWithInviter, payInviter } from '#features/account/user/pay-inviter.ts';
import { orTaken } from '#features/account/user/save-user.ts';
import { ensureWelcome, lowered } from './email-account.ts';
import { affCodeOf, getInvitations } from './invitations.ts';
import { linkBase } from './link-base.ts';
import { loginByCode } from './login-by-code.ts';
import { holderOf, newHolder } from './mail-holder.ts';
import { throttle, throttleMail } from './mail-throttle.ts';
import { ensureOpen, register } from './register.ts';
import { isGoodLink, resetPassword } from './reset-password.ts';
import { type MailRequest, sendAddressCode, sendLoginCode, sendResetLink } from './send-mails.ts';
import { tryCode, useCode, wrongCode } from './mail-code.ts';

const wrong = wrongCode('code');

/**
 * Sets an account's address after it was verified with a code, and invalidates what was mailed to the previous one.
 * Throws `mail.…`, `register.email_domain`, `record.exists`.
 */
async function bindEmail(
  needs: Pick<Deps, 'db' | 'config' | 'now' | 'live'>,
  userId: number,
  { email, code, holder }: { email: string; code: string; holder: string },
): Promise<void> {
  ensureWelcome(needs.live.settings, email);
  const right = await tryCode(needs, { purpose: 'address', email: lowered(email), holder }, code, wrong);
  const bound = needs.db.transaction().execute(async (trx) => {
    await useCode(trx, right, wrong);
    await trx.deleteFrom('mail_codes').where('user_id', '=', userId).execute();
    await holdWithInviter(trx, userId);
    const hadNone = await trx
      .updateTable('users')
      .set({ email })
      .where('id', '=', userId)
      .where('email', '=', '')
      .executeTakeFirstOrThrow();
    if (hadNone.numUpdatedRows > 0n) await payInviter(trx, userId, { settings: needs.live.settings, now: needs.now() });
    else await trx.updateTable('users').set({ email }).where('id', '=', userId).execute();
  });
  await orTaken(bound, { email });
}

/** Length of a password that the server makes: 95 bits. */
const MADE_LENGTH = 16;

/** Routes for registration, password recovery and invitations. */
export function registerRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, live, config, mailer } = deps;
  const ipOf = (request: FastifyRequest): string => clientIp(request.raw, config.trustedProxies);

  /** Checks before any mail that a visitor requests. */
  const admit = async (request: FastifyRequest, email: string, token: string | undefined): Promise<void> => {
    const ip = ipOf(request);
    ensure(mailer.isSetUp(), 'mail.not_set_up');
    await throttle(deps, 'mail', ip);
    await ensureHuman(deps, { token, ip });
    await throttleMail(deps, lowered(email), ip);
  };

  /** Runs after the response, so that its timing does not reveal whether the account exists. */
  const afterwards = (send: (deps: Deps, asked: MailRequest) => Promise<void>, mail: MailRequest): void => {
    setImmediate(() => {
      send(deps, mail).catch((error: unknown) => deps.log.warn({ err: error }, 'mail not sent'));
    });
  };

  serve(app, deps, registerApi.sendCode, async ({ query: { email, turnstile } }, { request, reply }) => {
    ensureWelcome(live.settings, email);
    await admit(request, email, turnstile);
    const holder = newHolder(request, reply, config);
    const base = live.settings.ServerAddress;
    await sendAddressCode(deps, { email, holder, language: askedLanguage(request), base });
  });

  serve(app, deps, registerApi.register, async ({ query, body }, { viewer, request, reply }) => {
    const ip = ipOf(request);
    ensureOpen(deps);
    await throttle(deps, 'register', ip);
    await ensureHuman(deps, { token: query.turnstile, ip });
    const userId = await register(deps, body, { ip, language: askedLanguage(request), holder: holderOf(request) });
    // An administrator's session is not replaced by that of the account just made.
    if (viewer || !live.settings.PasswordLoginEnabled) return undefined;
    await completeSignIn({ userId }, request, reply, deps);
    return getEnabledUser(deps, userId);
  });

  serve(app, deps, registerApi.askReset, async ({ query: { email, turnstile } }, { request }) => {
    const base = linkBase(deps, request);
    await admit(request, email, turnstile);
    afterwards(sendResetLink, { email, holder: '', language: askedLanguage(request), base });
  });

  serve(app, deps, registerApi.checkReset, async ({ body }, { request }) => {
    await throttle(deps, 'reset-check', ipOf(request));
    return { valid: await isGoodLink(deps, body) };
  });

  serve(app, deps, registerApi.reset, async ({ body }, { request, reply }) => {
    const ip = ipOf(request);
    await throttle(deps, 'reset', ip);
    const from = { ip, user_agent: (request.headers['user-agent'] ?? '').slice(0, 300) };
    // The family has no form for it: its server makes one, and the answer shows it.
    const made = body.password === undefined && live.settings.FamilyMode ? randomText(MADE_LENGTH) : undefined;
    const password = body.password ?? made;
    ensure(password !== undefined, 'reset.password', { field: 'password' });
    if (made !== undefined) void reply.header('cache-control', 'no-store');
    const { userId, disabled } = await resetPassword(deps, { ...body, password }, from);
    await live.usersChanged(userId);
    notifyPasswordChange(deps, userId, { kind: 'passwordChanged', tokens: disabled });
    return made ?? { disabled_tokens: disabled };
  });

  serve(app, deps, registerApi.sendLoginCode, async ({ query, body: { email } }, { request, reply }) => {
    await admit(request, email, query.turnstile);
    const holder = newHolder(request, reply, config);
    afterwards(sendLoginCode, { email, holder, language: askedLanguage(request), base: '' });
  });

  serve(app, deps, registerApi.loginByCode, ({ body }, { request, reply }) => loginByCode(deps, body, request, reply));

  const bind = async (userId: number, request: FastifyRequest, input: { email: string; code: string }) => {
    await ensureProvedOrFamily(request, deps);
    await throttle(deps, 'bind-email', ipOf(request));
    await bindEmail(deps, userId, { ...input, holder: holderOf(request) });
  };
  serve(app, deps, registerApi.bindEmail, ({ body }, { viewer, request }) => bind(viewer.id, request, body));
  serve(app, deps, registerApi.bindEmailByGet, ({ query }, { viewer, request }) => bind(viewer.id, request, query));

  serve(app, deps, registerApi.affCode, (_, { viewer }) => affCodeOf(db, viewer.id));
  serve(app, deps, registerApi.makeAffCode, (_, { viewer }) => affCodeOf(db, viewer.id));
  serve(app, deps, registerApi.invitations, (_, { viewer }) => getInvitations(db, viewer.id, live.settings));
}
