import { baseAddress, givenTeamRoles, issuerAddress } from '@relay-hub/contract';
import * as z from 'zod/mini';
import { mailProviders } from './long-defaults.ts';
import {
  filled,
  flag,
  hostName,
  json,
  line,
  list,
  networks,
  pictureAddress,
  proxyAddress,
  secret,
  setting,
  unused,
  whole,
} from './setting.ts';

const domain = /^([a-z0-9]([-a-z0-9]*[a-z0-9])?\.)+[a-z0-9]([-a-z0-9]*[a-z0-9])?$/i;
const mailSender = line(320).check(
  z.refine((text) => text === '' || /^([^<>@]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/.test(text), {
    error: 'mail.sender',
  }),
);
const perWindow = whole(1, 10_000_000);
/** A lower limit would lock administrators out of raising it again. */
const requests = whole(60, 10_000_000);

const wrongGroups = { error: 'team.groups' };
const teamsOfGroups = z
  .array(
    z.strictObject(
      {
        group: z.string(wrongGroups).check(z.trim(), z.minLength(1, wrongGroups), z.maxLength(255, wrongGroups)),
        team: z.int(wrongGroups).check(z.gte(1, wrongGroups)),
        role: z.enum(givenTeamRoles, wrongGroups),
      },
      wrongGroups,
    ),
    wrongGroups,
  )
  .check(z.maxLength(500, wrongGroups));

/** Endpoint of a service on the internet or in the operator's network; never empty. */
const service = (address: string) => setting(address, baseAddress.check(filled));

export const systemSettings = {
  /** Public address of this server; empty: the address in the browser. */
  ServerAddress: setting('', baseAddress),

  RegisterEnabled: setting('true', flag),
  PasswordRegisterEnabled: setting('true', flag),
  PasswordLoginEnabled: setting('true', flag),
  /** Imported accounts make no calls before the last run of the import. */
  ImportedUsersWait: setting('true', flag),
  /** Whether what administrators may do needs two-step verification. */
  AdminTwoStepRequired: setting('false', flag),
  /** Whether others than administrators can create teams. */
  TeamsByUsers: setting('false', flag),
  EmailVerificationEnabled: setting('false', flag),
  EmailDomainRestrictionEnabled: setting('false', flag),
  /** Comma-separated domains. */
  EmailDomainWhitelist: setting(mailProviders.join(','), list(domain, 10_000, 'mail.domain')),

  SMTPServer: setting('', hostName),
  /**
   * 465: TLS from the first byte. 587: STARTTLS or nothing. Others: STARTTLS where the server offers it; required
   * before a password leaves the local network.
   */
  SMTPPort: setting('587', whole(1, 65_535)),
  SMTPAccount: setting('', line(320)),
  /** `address` or `Name <address>`; empty: the account. */
  SMTPFrom: setting('', mailSender),
  SMTPToken: secret(),

  GitHubOAuthEnabled: setting('false', flag),
  GitHubClientId: setting('', line(200)),
  GitHubClientSecret: secret(),
  GitHubAddress: service('https://github.com'),
  GitHubApiAddress: service('https://api.github.com'),
  /**
   * Accounts are matched by their numeric id only, because names can be released and taken by others. Cannot be turned
   * off.
   */
  GitHubOldIdCloseEnabled: setting('true', flag.check(z.refine((on) => on, { error: 'github.old_ids' }))),

  OIDCAuthEnabled: setting('false', flag),
  OIDCClientId: setting('', line(500)),
  OIDCClientSecret: secret(),
  OIDCIssuer: setting('', issuerAddress),
  OIDCScopes: setting('openid,profile,email', list(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 1000, 'oidc.scope')),
  /** Comma-separated claim names; the first one present becomes the username of a new account. */
  OIDCUsernameClaims: setting('preferred_username', list(/^[^\s"\\]+$/, 500, 'oidc.claim')),

  /** Claim with the groups of a person; a path with dots leads into objects. Empty: groups are not read. */
  OIDCGroupsClaim: setting('groups', line(200)),
  /** JSON list of `TeamOfGroup`; the first row of a team that fits a person decides their role in it. */
  TeamsOfGroups: setting('', json(teamsOfGroups)),

  LarkAuthEnabled: setting('false', flag),
  LarkClientId: setting('', line(200)),
  LarkClientSecret: secret(),
  LarkAddress: service('https://open.feishu.cn'),

  WeChatAuthEnabled: setting('false', flag),
  WeChatServerAddress: setting('', baseAddress),
  WeChatServerToken: secret(),
  WeChatAccountQRCodeImageURL: setting('', pictureAddress),

  TelegramBotEnabled: setting('false', flag),
  /** Without the @. */
  TelegramBotName: setting('', line(64).check(z.regex(/^([A-Za-z]\w{3,31})?$/, { error: 'telegram.name' }))),
  TelegramBotToken: secret(),
  /** Sent by Telegram with each webhook call; without it the server polls for updates. */
  TelegramWebhookSecret: {
    ...secret(),
    parse: secret().parse.check(z.regex(/^[A-Za-z0-9_-]{0,256}$/, { error: 'telegram.secret' })),
  },
  TelegramApiAddress: service('https://api.telegram.org'),
  TelegramProxy: setting('', proxyAddress),

  TurnstileCheckEnabled: setting('false', flag),
  TurnstileSiteKey: setting('', line(200)),
  TurnstileSecretKey: secret(),
  TurnstileAddress: service('https://challenges.cloudflare.com'),

  /** Requests per client address: management API and pages in three minutes, sign-in and the like in twenty. */
  GlobalApiRateLimit: setting('6000', requests),
  GlobalWebRateLimit: setting('6000', requests),
  CriticalRateLimit: setting('20', perWindow),
  /** Private networks that channels, proxies, the mail server and services in the settings may connect to. */
  OutboundPrivateNetworks: setting('', networks),
  /** Highest id of the tokens imported from an installation with the old key format. */
  OldTokenMaxId: unused('0', 'token.old_form'),
};
