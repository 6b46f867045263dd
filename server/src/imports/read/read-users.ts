import { oneLine, role, userStatus } from '@relay-hub/contract';
import { flagIn, isDeleted, objectIn, type OldRow, OldValueError, textIn, wholeIn } from '../old-row.ts';
import { isHubLine, type OldWorld, symbolOf } from './old-world.ts';

export interface ArrivingIdentity {
  provider: 'github' | 'oidc' | 'lark' | 'wechat' | 'telegram';
  issuer: string;
  subject: string;
}

/** A user of the old program, in our terms. */
export interface ArrivingUser {
  oldId: number;
  username: string;
  display_name: string;
  /** A bcrypt hash; empty for accounts without a password. */
  password_hash: string;
  role: number;
  status: number;
  email: string;
  avatar_url: string;
  group: string;
  created_time: number;
  last_login_time: number;
  language: string;
  aff_code: string;
  /** Old id; 0 = none. */
  inviter: number;
  request_count: number;
  /** Credits; may be below zero. */
  quota: number;
  used_quota: number;
  access_token: string;
  identities: ArrivingIdentity[];
  /** The first OpenID Connect sign-in with this user name binds the account. */
  oidcByName: boolean;
  /** Base32; empty without two-step verification. */
  totpSeed: string;
}

/** The fewest and most characters of a user name that signs in. */
const NAME = { least: 1, most: 255 };

export async function* readUsers(world: OldWorld, options: { accessTokens: boolean }): AsyncIterable<ArrivingUser> {
  const { database, report } = world;
  const seeds = await readSeeds(world);
  for await (const row of database.rows('users')) {
    if (isDeleted(row) || (world.program === 'one-api' && wholeIn(row, 'status') === 3)) continue;
    try {
      yield readUser(row, world, { ...options, seeds });
    } catch (error) {
      if (!(error instanceof OldValueError)) throw error;
      report.count('user', 'lost');
      report.remark('lost', `user ${textIn(row, 'username')}: ${error.message}`);
    }
  }
}

function readUser(
  row: OldRow,
  world: OldWorld,
  { accessTokens, seeds }: { accessTokens: boolean; seeds: ReadonlyMap<number, string> },
): ArrivingUser {
  const { report } = world;
  const oldId = wholeIn(row, 'id');
  const username = oneLine(textIn(row, 'username'));
  if (username.length < NAME.least || username.length > NAME.most)
    throw new OldValueError(`a name of ${username.length} characters`);
  const password = textIn(row, 'password');
  const isBcrypt = /^\$2[abxy]\$\d\d\$.{53}$/.test(password);
  if (!isBcrypt) report.remark('no_password', username);
  const { is, status } = standingOf(row, world, username);
  const quota = wholeIn(row, 'quota');
  if (quota > 500_000_000_000) report.remark('huge', `${username}: ${quota} credits`);
  if (wholeIn(row, 'aff_quota') > 0) report.remark('inviter', `${username}: ${wholeIn(row, 'aff_quota')} credits`);
  const seed = seeds.get(oldId) ?? '';
  if (seed !== '') report.remark('second_factor', username);
  return {
    oldId,
    username,
    display_name: oneLine(textIn(row, 'display_name')).slice(0, 20) || username.slice(0, 20),
    password_hash: isBcrypt ? password : '',
    role: is,
    status,
    email: textIn(row, 'email').trim().slice(0, 50),
    avatar_url: textIn(row, 'avatar_url'),
    group: symbolOf(world, textIn(row, 'group') || 'default'),
    created_time: wholeIn(row, 'created_time') || wholeIn(row, 'created_at'),
    last_login_time: wholeIn(row, 'last_login_time') || wholeIn(row, 'last_login_at'),
    language: languageOf(row),
    aff_code: textIn(row, 'aff_code'),
    inviter: wholeIn(row, 'inviter_id'),
    request_count: Math.max(0, wholeIn(row, 'request_count')),
    quota,
    used_quota: Math.max(0, wholeIn(row, 'used_quota')),
    access_token: accessTokenOf(row, world, accessTokens),
    identities: identitiesOf(row, world, username),
    oidcByName: isOidcByName(world),
    totpSeed: seed,
  };
}

function standingOf(row: OldRow, { report }: OldWorld, username: string): { is: number; status: number } {
  const old = wholeIn(row, 'role');
  const is = old === role.root || old === role.admin ? old : role.user;
  const enabled = wholeIn(row, 'status') === userStatus.enabled && old !== role.guest;
  if (old !== is) report.remark('role', `${username}: role ${old} becomes ${is}${enabled ? '' : ', disabled'}`);
  return { is, status: enabled ? userStatus.enabled : userStatus.disabled };
}

/** One-api and one-hub create a token for each user unasked; importing them would leave live secrets that are unknown to their owners. */
function accessTokenOf(row: OldRow, world: OldWorld, wanted: boolean): string {
  const token = textIn(row, 'access_token');
  if (token === '' || wanted || world.program === 'new-api') return token;
  world.report.remark('access_token', textIn(row, 'username'));
  return '';
}

const languages: Record<string, string> = { zh: 'zh_CN', 'zh-CN': 'zh_CN', 'zh-TW': 'zh_HK', en: 'en_US', ja: 'ja_JP' };

const languageOf = (row: OldRow): string => {
  const language = objectIn(row, 'setting')['language'];
  return (typeof language === 'string' && languages[language]) || '';
};

function identitiesOf(row: OldRow, world: OldWorld, username: string): ArrivingIdentity[] {
  const found: ArrivingIdentity[] = [];
  const add = (provider: ArrivingIdentity['provider'], subject: string, issuer = ''): void => {
    if (subject !== '' && subject !== '0') found.push({ provider, issuer, subject });
  };
  const { report } = world;
  const github = textIn(row, 'github_id');
  if (isHubLine(world)) {
    add('github', textIn(row, 'github_id_new'));
    if (github !== '' && found.length === 0) report.remark('identity', `${username}: GitHub login ${github}`);
  } else if (world.program === 'new-api' && /^\d+$/.test(github)) add('github', github);
  else if (github !== '') report.remark('identity', `${username}: GitHub login ${github}`);
  const issuer = issuerOf(world);
  const oidc = textIn(row, 'oidc_id');
  if (oidc !== '' && issuer === '') report.remark('identity', `${username}: OpenID Connect, its issuer is not known`);
  else add('oidc', oidc, issuer);
  add('lark', textIn(row, 'lark_id'));
  add('wechat', textIn(row, 'wechat_id'));
  add('telegram', textIn(row, 'telegram_id'));
  for (const column of ['discord_id', 'linux_do_id', 'linuxdo_id']) {
    const id = textIn(row, column);
    if (id !== '' && id !== '0') report.remark('identity', `${username}: ${column.replace(/_id$/, '')}`);
  }
  return found;
}

/** The issuer of the old sign-in; it is stored nowhere but in the settings. */
export function issuerOf({ options }: Pick<OldWorld, 'options'>): string {
  const known = options.get('OIDCIssuer') ?? options.get('OidcWellKnown') ?? options.get('oidc.well_known') ?? '';
  return known.replace(/\/\.well-known\/openid-configuration$/, '').replace(/\/+$/, '');
}

/** One-hub finds the account of an OpenID Connect sign-in by its user name. */
const isOidcByName = (world: OldWorld): boolean =>
  isHubLine(world) && !world.has('users', 'oidc_id') && world.options.get('OIDCAuthEnabled') === 'true';

async function readSeeds({ database }: OldWorld): Promise<Map<number, string>> {
  const seeds = new Map<number, string>();
  for await (const row of database.rows('two_fas'))
    if (flagIn(row, 'is_enabled') && !isDeleted(row)) seeds.set(wholeIn(row, 'user_id'), textIn(row, 'secret'));
  return seeds;
}
