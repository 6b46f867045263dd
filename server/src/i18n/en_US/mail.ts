import type { MailTexts } from '../mail-texts.ts';

export const mail: MailTexts = {
  addressCode: {
    subject: '{code} is your {site} verification code',
    before: ['Use this code to verify your email address for {site}:'],
    after: [
      'The code is valid for {minutes} minutes and works once.',
      'If you did not request this, ignore this email and do not share the code.',
    ],
  },
  addressTaken: {
    subject: 'You already have an account at {site}',
    before: [
      'Someone tried to use this email address on {site}. It already belongs to an account, so no code was sent.',
      'If this was you, sign in. If you forgot your password, you can choose a new one.',
    ],
    action: 'Sign in',
    after: ['If this was not you, ignore this email. Your account has not changed.'],
  },
  loginCode: {
    subject: '{code} is your {site} sign-in code',
    before: ['Use this code to sign in to {site}:'],
    after: [
      'The code is valid for {minutes} minutes and works once, in the browser that requested it.',
      'If you did not request this, ignore this email and do not share the code.',
    ],
  },
  passwordReset: {
    subject: 'Reset your {site} password',
    before: ['Someone requested a new password for your {site} account {username}. Choose a new one here:'],
    action: 'Choose a new password',
    after: [
      'The link is valid for {minutes} minutes and works once. All your devices will be signed out and your tokens disabled. You can enable the tokens again.',
      'If you did not request this, ignore this email. Your password stays the same.',
    ],
  },
  passwordChanged: {
    subject: 'Your {site} password was changed',
    before: [
      'The password of your {site} account {username} was changed. All other devices were signed out, and the access token was revoked.',
      'Tokens disabled: {tokens}. You can enable the ones you still need.',
    ],
    others:
      'You can still sign in with passkeys ({passkeys}) and connected accounts ({accounts}). In your profile, remove any that are not yours.',
    action: 'View tokens',
    after: ['If this was not you, choose a new password immediately and contact the site operator.'],
  },
  passwordGiven: {
    subject: 'An administrator changed your {site} password',
    before: [
      'An administrator of {site} set a new password for your account {username}. All devices were signed out, and the access token was revoked.',
      'Tokens disabled: {tokens}. You can enable the ones you still need.',
    ],
    others:
      'You can still sign in with passkeys ({passkeys}) and connected accounts ({accounts}). In your profile, remove any that are not yours.',
    action: 'View tokens',
    after: ['If you did not ask for this, contact the site operator.'],
  },
  teamInvite: {
    subject: 'Join the team {team} on {site}',
    before: ['You are invited to the team {team} on {site}. Its members make calls that the team pays for.'],
    action: 'View the invitation',
    after: [
      'The link is valid for 7 days and works once, for an account with this email address.',
      'If you did not expect this, ignore this email.',
    ],
  },
  lowBalance: {
    subject: 'Your {site} balance is low',
    before: [
      'Your {site} account {username} has {balance} left, which is below {threshold}. Calls are refused once the balance is used up.',
    ],
    action: 'Top up',
    after: ['You will not get another reminder until you top up.'],
  },
  teamLowBalance: {
    subject: 'The balance of the team {username} on {site} is low',
    before: [
      'The team {username} on {site} has {balance} left, which is below {threshold}. Calls of its members are refused once the balance is used up.',
    ],
    action: 'View the team',
    after: ['You will not get another reminder until the team is topped up.'],
  },
  planRenews: {
    subject: 'Your {site} plan {plan} renews on {date}',
    before: [
      'The plan {plan} of the account {username} on {site} renews on {date} for {price}, paid from the balance of {balance}.',
    ],
    others: 'The balance is {missing} short. Top up before that date, or the plan ends.',
    action: 'View plans',
    after: [
      'If you do not want it any more, turn off its renewal before that date. You get one such email per period.',
    ],
  },
  limitNear: {
    subject: 'A {site} token has nearly reached its limit',
    before: ['Most of these limits is used. Calls beyond them are refused until they reset:'],
    action: 'Show tokens',
    after: ['You get one such email per limit and period. You can turn these emails off in your profile.'],
  },
  expiryNear: {
    subject: 'A {site} token expires soon',
    before: ['These tokens expire soon. Programs that use them stop working then:'],
    action: 'Show tokens',
    after: ['You get one such email per token and expiry. You can change or turn off these emails in your profile.'],
  },
  channels: {
    subject: '{site}: channel test finished',
    before: ['The test of the channels of {site} has finished:'],
    action: 'View channels',
    after: [],
  },
  alarm: { subject: '{site} alert: {title}', before: ['{title}'], action: 'Show', after: [] },
  notice: {
    subject: 'News from {site}',
    before: ['{text}'],
    action: 'Open site',
    after: ['To stop these emails: {unsubscribe}'],
  },
  maintenance: {
    subject: '{site}: maintenance from {start} to {end}',
    before: ['{text}', 'API calls are refused from {start} to {end}.'],
    action: 'Open site',
    after: ['To stop these emails: {unsubscribe}'],
  },
  test: {
    subject: 'Test email from {site}',
    before: ['If you can read this, {site} is set up to send email.'],
    after: [],
  },
  events: {
    line: '{line}',
    testDone:
      'Channel test finished: {succeeded} passed, {failed} failed, {skipped} skipped; {off} disabled, {on} enabled again.',
    budgetHour: 'Token {token}: {used} of {limit} spent this hour. Resets at {resets}.',
    budgetFiveHours: 'Token {token}: {used} of {limit} spent these five hours. Resets at {resets}.',
    budgetDay: 'Token {token}: {used} of {limit} spent today. Resets at {resets}.',
    budgetWeek: 'Token {token}: {used} of {limit} spent this week. Resets at {resets}.',
    budgetMonth: 'Token {token}: {used} of {limit} spent this month. Resets at {resets}.',
    requestsDay: 'Token {token}: {used} of {limit} requests made today. Resets at {resets}.',
    tokensDay: 'Token {token}: {used} of {limit} model tokens used today. Resets at {resets}.',
    tokenExpires: 'Token {token} expires at {expires}.',
  },
  linkHint: 'If the button does not work, copy this URL into your browser:',
  sentBy: 'This email was sent by {site}. Please do not reply.',
};
