import type { MailTexts } from './mail-texts.ts';

export const en_US: MailTexts = {
  addressCode: {
    subject: '{code} is your {site} verification code',
    before: ['You are verifying this e-mail address at {site}. Your code is:'],
    after: [
      'It is valid for {minutes} minutes and works once.',
      'If this was not you, ignore this mail and tell nobody the code.',
    ],
  },
  addressTaken: {
    subject: 'This address has an account at {site} already',
    before: [
      'Somebody wants to use this e-mail address at {site}. It belongs to an account already, so no code was sent.',
      'If this was you, just sign in. If you forgot your password, you can choose a new one.',
    ],
    action: 'Sign in',
    after: ['If this was not you, ignore this mail. Nothing has changed in your account.'],
  },
  loginCode: {
    subject: '{code} is your {site} sign-in code',
    before: ['You are signing in to {site}. Your code is:'],
    after: [
      'It is valid for {minutes} minutes and works once, in the browser that asked for it.',
      'If this was not you, ignore this mail and tell nobody the code.',
    ],
  },
  passwordReset: {
    subject: 'Choose a new {site} password',
    before: ['Somebody asked for a new password for your account {username} at {site}. Choose it here:'],
    action: 'Choose a new password',
    after: [
      'The link is valid for {minutes} minutes and works once. All devices that are signed in will be signed out, and your API tokens will be disabled; you can enable them again.',
      'If this was not you, ignore this mail. Your password stays as it is.',
    ],
  },
  passwordChanged: {
    subject: 'Your {site} password was changed',
    before: [
      'The password of your account {username} at {site} was changed. All other devices were signed out, and the access token was taken back.',
      'API tokens that were disabled: {tokens}. Those that you still need can be enabled again.',
    ],
    others:
      'You can still sign in with passkeys ({passkeys}) and bound accounts ({accounts}). Remove in your profile what is not yours.',
    action: 'Go to the tokens',
    after: ['If this was not you, choose a new password at once and tell the operator of the site.'],
  },
  passwordGiven: {
    subject: 'Your {site} password was changed by an administrator',
    before: [
      'An administrator of {site} has set a new password for your account {username}. All devices were signed out, and the access token was taken back.',
      'API tokens that were disabled: {tokens}. Those that you still need can be enabled again.',
    ],
    others:
      'You can still sign in with passkeys ({passkeys}) and bound accounts ({accounts}). Remove in your profile what is not yours.',
    action: 'Go to the tokens',
    after: ['If you did not ask for this, get in touch with the operator of the site.'],
  },
  lowBalance: {
    subject: 'Your {site} balance is low',
    before: [
      'Your account {username} at {site} has {balance} left, which is less than {threshold}. Calls are refused once the balance is used up.',
    ],
    action: 'Top up',
    after: ['You will not be reminded again before you top up.'],
  },
  channels: {
    subject: '{site}: news of your channels',
    before: ['What became of the channels of {site} by itself, or of a test of them:'],
    action: 'Go to the channels',
    after: [],
  },
  test: {
    subject: 'Test mail of {site}',
    before: ['This mail has arrived, so {site} is set up to send mail.'],
    after: [],
  },
  events: {
    channelOff: 'The channel {name} ({channel}) was switched off: {reason}',
    channelOn: 'The channel {name} ({channel}) works again, and was switched on.',
    keyOff: 'A key ({key}) of the channel {name} ({channel}) was switched off: {reason}',
    keyOn: 'A key ({key}) of the channel {name} ({channel}) works again, and was switched on.',
    usage:
      'The channel {name} ({channel}) reported a usage for {model} that cannot be: {reported}, of which {charged} was charged (request {request}).',
    testDone:
      'The test of the channels has ended: {succeeded} passed, {failed} failed, {skipped} cannot be tested; {off} were switched off, {on} on again.',
    more: 'And {more} more of the kind. The page of the channels shows how they all are.',
  },
  linkHint: 'If the button does not work, copy this address into your browser:',
  sentBy: 'This mail was sent by {site}. Please do not reply to it.',
};
