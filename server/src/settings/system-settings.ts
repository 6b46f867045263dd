import { baseAddress } from '@relay-hub/contract';
import * as z from 'zod/mini';
import { mailProviders } from './long-defaults.ts';
import {
  filled,
  flag,
  hostName,
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
/** Fewer would not let an administrator in to raise it again. */
const requests = whole(60, 10_000_000);

/** An endpoint of a service that is on the internet, or in an operator's own network; never empty. */
const service = (address: string) => setting(address, baseAddress.check(filled));

export const systemSettings = {
  /** The public address of this server; empty: the address that the browser uses. */
  ServerAddress: setting('', baseAddress),

  RegisterEnabled: setting('true', flag),
  PasswordRegisterEnabled: setting('true', flag),
  PasswordLoginEnabled: setting('true', flag),
  EmailVerificationEnabled: setting('false', flag),
  EmailDomainRestrictionEnabled: setting('false', flag),
  /** Domains, parted by commas. */
  EmailDomainWhitelist: setting(mailProviders.join(','), list(domain, 10_000, 'mail.domain')),

  SMTPServer: setting('', hostName),
  /** 465: TLS from the first byte; 587: STARTTLS or nothing; others: STARTTLS where the server offers it, and always for a password that leaves the local network. */
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
  /** Accounts are known by their number only: names are given up, and taken by others. It cannot be switched off. */
  GitHubOldIdCloseEnabled: setting('true', flag.check(z.refine((on) => on, { error: 'github.old_ids' }))),

  OIDCAuthEnabled: setting('false', flag),
  OIDCClientId: setting('', line(500)),
  OIDCClientSecret: secret(),
  OIDCIssuer: setting('', baseAddress),
  OIDCScopes: setting('', list(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 1000, 'oidc.scope')),
  /** Names of claims, parted by commas: the first that is there is what a new account is called. */
  OIDCUsernameClaims: setting('', list(/^[^\s"\\]+$/, 500, 'oidc.claim')),

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
  /** Updates come through a webhook that knows it; without one the server asks for them. */
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

  /** Requests of one client address: of the management API and of pages in three minutes, of sign-in and the like in twenty. */
  GlobalApiRateLimit: setting('6000', requests),
  GlobalWebRateLimit: setting('6000', requests),
  CriticalRateLimit: setting('20', perWindow),
  /** Private networks that channels, proxies, the mail server and services in the settings may be in. */
  OutboundPrivateNetworks: setting('', networks),
  /** The highest id of the tokens that came from an installation with the old form of keys. */
  OldTokenMaxId: unused('0', 'token.old_form'),
};
