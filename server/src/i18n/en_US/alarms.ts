import type { AlarmTexts } from '../text-types.ts';

export const alarms: AlarmTexts = {
  incidents: {
    model: [
      'Nobody serves {model}: {calls} calls were refused',
      'Open Channels, filter by this model, and test its channels. Add a channel if none is healthy.',
    ],
    success: [
      'Only {rate} % of calls succeed ({failed} of {calls} failed in {minutes} minutes)',
      'Open Live to see which channels and models fail.',
    ],
    database: [
      'The database did not answer for {seconds} s',
      'Check the database server, its disk and its connections; with SQLite, whether another program locks the file. Calls without reserved credits are refused meanwhile.',
    ],
    storage: [
      '{host} cannot record calls and refuses them',
      'Free disk space. If the database is damaged, restore it from a backup.',
    ],
    channel: [
      'Channel {name} fails: {failed} of {attempts} attempts in {minutes} minutes',
      'Test the channel. Check its address, its key and the status page of the provider.',
    ],
    key: ['A key of channel {name} was disabled', 'Replace the key, or test it again after the account is in order.'],
    balance: ['The provider account of channel {name} has only {balance} {currency} left', 'Top up the account.'],
    price: [
      '{calls} calls of {model} were refused, because it has no price',
      'Open Pricing and set a price, or remove the model from its channels.',
    ],
    usage: [
      'Channel {name} reported impossible usage for {model}',
      'Compare with the bill of the provider. Charges were limited to what is possible.',
    ],
    disk: [
      'The disk of {host} is {percent} % full ({free} GiB free)',
      'Delete old logs and backups, or enlarge the disk.',
    ],
    backup: ['The last backup failed or is overdue', 'Open Settings, Backups, and make one by hand.'],
    job: ['The background job "{job}" keeps failing', 'Read the process log for the whole error.'],
    gateway: [
      'Notifications of payment gateway {name} are refused',
      'Compare the secret here with the one in the merchant console.',
    ],
    slow: [
      'Channel {name} is slow: {seconds} s to the first token or the end of a call; up to {limit} s are usual',
      'Compare with the status page of the provider, or lower the priority of the channel.',
    ],
    refusals: [
      '{count} calls were refused in {minutes} minutes; {usual} are usual at this hour',
      'Open Log, Refused calls, to see whose they are and why.',
    ],
    shortfall: [
      '{calls} calls cost {credits} credits more than their users had',
      'Open Reconciliation for these calls. A price, or the expected length of answers, may be too low.',
    ],
    node: [
      'A server process on {host} ended without stopping',
      'Its calls were settled or released. Look for the cause in the process log and the system log.',
    ],
    journal: [
      '{waiting} settled calls on {host} are not in the database yet',
      'Nothing is lost while the journal is kept. Check the database and the process log.',
    ],
    certificate: [
      'The certificate of {host} ends in {days} days',
      'Renew it, or ask the operator of that host. Connections fail after its end.',
    ],
    credential: [
      'A key of channel {name} expires in {days} days',
      'Enter a new key. Calls of the channel fail after its end.',
    ],
    version: ['Version {version} is available ({running} is running)', 'Read its notes under Settings, then upgrade.'],
    way: ['Messages by {name} cannot be delivered', 'Open Alerts and test this way.'],
  },
  events: {
    'order.paid': 'Payment received: order {trade_no}',
    'order.refunded': 'Order {trade_no} was refunded',
    'user.created': 'New user {username}',
    'login.new': 'New sign-in from {ip} ({user_agent})',
    'balance.low': 'Low balance: {balance} left',
    'key.created': 'Token {name} was created',
    'key.rotated': 'Token {name} has a new key',
    'key.ended': 'Token {name} no longer works',
    'key.expiring': 'Token {name} expires on {expires}',
    'key.budget': 'Token {name} has used {percent} % of a limit',
    'task.ended': 'Task {task_id} ended: {status}',
    'way.test': 'This is a test message. If you can read it, alerts arrive here.',
  },
  notYou: 'If this was not you, change your password and check your tokens.',
  over: 'Over',
  cause: 'Last error',
  several: '{count} messages',
  more: 'and {count} more',
};
