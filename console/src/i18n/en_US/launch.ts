import type { Texts } from '../texts.ts';

export const texts: Texts['launch'] = {
  title: 'Before you open to others',
  progress: '{{done}} of {{total}} done',
  hide: 'Don’t show again',
  skip: 'Not needed',
  need: 'Mark as needed',
  skipOf: '{{name}}: not needed',
  needOf: '{{name}}: needed after all',
  skipped: 'Marked as not needed',
  open: 'Open',
  openOf: '{{name}}: open',
  items: {
    address: {
      title: 'Server address',
      open: 'Links in emails and callbacks need the public address.',
      done: 'Set',
      open_link: 'Set the address',
    },
    tls: {
      title: 'HTTPS',
      open: 'Keys and passwords must not travel unencrypted.',
      done: 'The address is served with TLS',
      open_link: 'Set an https address',
    },
    mail: {
      title: 'Email',
      open: 'Users need it for sign-in codes and password resets.',
      done: 'Set up',
      open_link: 'Set up email',
    },
    backup: {
      title: 'Backups',
      open: 'No schedule, or the last backup failed or is old.',
      done: 'Backups are made',
      open_link: 'Set up backups',
    },
    gift: {
      title: 'Starting credit',
      open: 'New users cannot try anything without credit.',
      done: 'Decided',
      open_link: 'Set the credit',
    },
    prices: {
      title: 'Prices',
      open_one: '{{count}} model of channels has no price of its own.',
      open_other: '{{count}} models of channels have no price of their own.',
      done: 'Every model has a price',
      open_link: 'Open prices',
    },
    fees: {
      title: 'Fees and holidays',
      open_one: '{{count}} price on channels lacks a fee of a tool, or its holidays end.',
      open_other: '{{count}} prices on channels lack a fee of a tool, or their holidays end.',
      done: 'Prices on channels are complete',
      open_link: 'Complete prices',
    },
    gateway: {
      title: 'Payment',
      open: 'Users cannot buy credit yet.',
      done: 'Users can buy credit',
      open_link: 'Add a gateway',
    },
    alerts: {
      title: 'Alerts',
      open: 'Send a test message by mail, chat or webhook and confirm that it arrived.',
      done: 'Alerts arrive',
      open_link: 'Set up alerts',
    },
    store: {
      title: 'Kept responses',
      open: 'Without them, agents such as those of the AI SDK fail at their second turn on models whose provider keeps nothing.',
      done: 'Responses are kept for a while',
      open_link: 'Set the time',
    },
  },
};
