import { mailAddress, oneLine, role, userStatus } from '@relay-hub/contract';
import { isOldHash } from '#passwords.ts';
import {
  creditsIn,
  flagIn,
  isDeleted,
  lineIn,
  objectIn,
  type OldRow,
  OldValueError,
  rowName,
  textIn,
  timeIn,
  wholeIn,
} from '../old-row.ts';
import { isHubLine, type OldWorld, readRows, symbolOf } from './old-world.ts';

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

interface UserOptions {
  accessTokens: boolean;
  /** Accounts with administrator rights come, and keep them. */
  administrators: boolean;
  /** Receives the old id of each user that cannot be imported. */
  lost: (oldId: number) => void;
}

/** Whether the old program gave the account rights that this import gives only on request. */
export const isPrivileged = ({ role: is }: Pick<ArrivingUser, 'role'>): boolean => is >= role.admin;

export async function* readUsers(world: OldWorld, options: UserOptions): AsyncIterable<ArrivingUser> {
  const seeds = await readSeeds(world);
  yield* readRows(world, {
    table: 'users',
    kind: 'user',
    name: (row) => rowName(row, 'user', 'username'),
    lost: (row) => options.lost(Number(textIn(row, 'id'))),
    read: (row) => {
      const isGone = isDeleted(row) || (world.program === 'one-api' && wholeIn(row, 'status') === 3);
      return isGone ? undefined : readUser(row, world, { ...options, seeds });
    },
  });
}

function readUser(
  row: OldRow,
  world: OldWorld,
  { accessTokens, administrators, seeds }: UserOptions & { seeds: ReadonlyMap<number, string> },
): ArrivingUser {
  const { report } = world;
  const oldId = wholeIn(row, 'id');
  const username = textIn(row, 'username').trim();
  if (username.length < NAME.least || username.length > NAME.most)
    throw new OldValueError(`a name of ${username.length} characters`);
  // It cannot be typed, and made printable it would be another account's name.
  if (oneLine(username) !== username || /[\0\uFFFD]/.test(username))
    throw new OldValueError('its name has characters that cannot be used');
  const password = textIn(row, 'password');
  const isBcrypt = isOldHash(password);
  if (!isBcrypt) report.remark('no_password', username);
  const { is, status } = standingOf(row, world, username);
  if (!administrators && is >= role.admin) report.remark('privileged', `${username}: role ${is}`);
  const quota = creditsIn(row, 'quota');
  if (quota > 500_000_000_000) report.remark('huge', `${username}: ${quota} credits`);
  if (wholeIn(row, 'aff_quota') > 0) report.remark('inviter', `${username}: ${wholeIn(row, 'aff_quota')} credits`);
  const seed = seeds.get(oldId) ?? '';
  if (seed !== '') report.remark(isSeed(seed) ? 'second_factor' : 'second_factor_lost', username);
  const email = textIn(row, 'email').trim();
  const isAddress = mailAddress.safeParse(email).success && !/[\0\uFFFD]/.test(email);
  if (email !== '' && !isAddress) report.remark('email_lost', `${username}: ${email}`);
  return {
    oldId,
    username,
    display_name: lineIn(row, 'display_name', 20) || lineIn(row, 'username', 20),
    password_hash: isBcrypt ? password : '',
    role: is,
    status,
    email: isAddress ? email : '',
    avatar_url: /^https:\/\/[\x21-\x7e]{1,1000}$/.exec(textIn(row, 'avatar_url'))?.[0] ?? '',
    group: symbolOf(world, textIn(row, 'group') || 'default'),
    created_time: timeIn(row, 'created_time') || timeIn(row, 'created_at'),
    last_login_time: timeIn(row, 'last_login_time') || timeIn(row, 'last_login_at'),
    language: languageOf(row),
    aff_code: /^[\w-]{1,64}$/.exec(textIn(row, 'aff_code'))?.[0] ?? '',
    inviter: wholeIn(row, 'inviter_id'),
    request_count: Math.max(0, wholeIn(row, 'request_count')),
    quota,
    used_quota: Math.max(0, creditsIn(row, 'used_quota')),
    access_token: accessTokenOf(row, world, accessTokens),
    identities: identitiesOf(row, world, username),
    oidcByName: isOidcByName(world),
    totpSeed: isSeed(seed) ? seed : '',
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
  if (token === '') return '';
  const name = lineIn(row, 'username', 100);
  if (!/^[0-9a-z+/=]{28,32}$/i.test(token)) world.report.remark('access_token', `${name}: another form of tokens`);
  // Only there an account has one because its owner asked for it.
  else if (wanted || (world.program === 'new-api' && wholeIn(row, 'role') < role.admin)) return token;
  else world.report.remark('access_token', name);
  return '';
}

const languages: Record<string, string> = { zh: 'zh_CN', 'zh-CN': 'zh_CN', 'zh-TW': 'zh_HK', en: 'en_US', ja: 'ja_JP' };

const languageOf = (row: OldRow): string => {
  const language = objectIn(row, 'setting')['language'];
  return (typeof language === 'string' && languages[language]) || '';
};

/** Providers whose accounts have numbers. */
const numbered = new Set<ArrivingIdentity['provider']>(['github', 'telegram']);

function identitiesOf(row: OldRow, world: OldWorld, username: string): ArrivingIdentity[] {
  const { report } = world;
  const found: ArrivingIdentity[] = [];
  const add = (provider: ArrivingIdentity['provider'], subject: string, issuer = ''): void => {
    if (subject === '' || subject === '0') return;
    const isValid = numbered.has(provider) ? /^\d{1,15}$/.test(subject) : subject.length <= 255;
    if (isValid) found.push({ provider, issuer, subject });
    else report.remark('identity', `${username}: ${provider}, its id is not valid`);
  };
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

/** Base32. */
const isSeed = (text: string): boolean => /^[A-Z2-7]{16,128}=*$/i.test(text);

async function readSeeds({ database }: OldWorld): Promise<Map<number, string>> {
  const seeds = new Map<number, string>();
  for await (const row of database.rows('two_fas'))
    if (flagIn(row, 'is_enabled') && !isDeleted(row)) seeds.set(Number(textIn(row, 'user_id')), textIn(row, 'secret'));
  return seeds;
}
