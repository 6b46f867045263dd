/** The text of one kind of mail. `{site}` and other placeholders are filled in; each paragraph is one entry. */
export interface MailWords {
  subject: string;
  /** Paragraphs before the code or the link. */
  before: string[];
  /** Follows only where `others` of the values is more than zero. */
  others?: string;
  /** On the button that stands for the link. */
  action?: string;
  after: string[];
}

export const mailKinds = [
  'addressCode',
  'addressTaken',
  'loginCode',
  'passwordReset',
  'passwordChanged',
  'passwordGiven',
  'teamInvite',
  'lowBalance',
  'teamLowBalance',
  'planRenews',
  'limitNear',
  'expiryNear',
  'channels',
  'alarm',
  'notice',
  'maintenance',
  'test',
] as const;
export type MailKind = (typeof mailKinds)[number];

/** The result of a test of all channels, and `line`, whose text is complete. */
export const noticeKinds = ['testDone', 'line'] as const;
export type NoticeKind = (typeof noticeKinds)[number];

/** Limits of tokens that are nearly used up. */
export const limitNoticeKinds = [
  'budgetHour',
  'budgetFiveHours',
  'budgetDay',
  'budgetWeek',
  'budgetMonth',
  'requestsDay',
  'tokensDay',
] as const;
export type LimitNoticeKind = (typeof limitNoticeKinds)[number];

/** Events of users' mails about their tokens. */
export type TokenNoticeKind = LimitNoticeKind | 'tokenExpires';

/** Of one language. */
export type MailTexts = Record<MailKind, MailWords> & {
  /** Each is one line. */
  events: Record<NoticeKind | TokenNoticeKind, string>;
  /** Below a link, for mail programs that show no buttons. */
  linkHint: string;
  /** At the end of every mail. */
  sentBy: string;
};
