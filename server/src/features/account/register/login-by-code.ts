import type { SessionUser } from '@relay-hub/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '#deps.ts';
import { getEnabledUser } from '#features/account/access/account-session.ts';
import { completeSignIn } from '#features/account/second-factor/complete-sign-in.ts';
import { countTry } from '#features/account/user/login-throttle.ts';
import { clientIp } from '#http/client-ip.ts';
import { rememberLanguage } from '#mail/mail-language.ts';
import { findByEmail, lowered } from './email-account.ts';
import { tryCode, useCode, wrongCode } from './mail-code.ts';
import { holderOf } from './mail-holder.ts';

const wrong = wrongCode('code');

/**
 * Signs in with a code that was mailed to an account's address, in the browser that requested it. Throws `mail.code`,
 * `request.too_many`, and the errors of `completeSignIn`.
 */
export async function loginByCode(
  deps: Deps,
  { email: typed, code }: { email: string; code: string },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<SessionUser> {
  const email = lowered(typed);
  const wasRight = await countTry(deps, email, clientIp(request.raw, deps.config.trustedProxies));
  const right = await tryCode(deps, { purpose: 'login', email, holder: holderOf(request) }, code, wrong);
  const account = await findByEmail(deps.db, email);
  // The address may belong to another account by now.
  if (!account || account.id !== right.userId) throw wrong;
  await deps.db.transaction().execute((trx) => useCode(trx, right, wrong));
  await wasRight();
  await rememberLanguage(deps.db, account.id, request);
  const user = await getEnabledUser(deps, account.id);
  await completeSignIn({ userId: user.id }, request, reply, deps);
  return user;
}
