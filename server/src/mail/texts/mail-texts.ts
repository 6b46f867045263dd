/** The words of one kind of mail. `{site}` and the like are filled in; every paragraph stands on a line of its own. */
export interface MailWords {
  subject: string;
  /** What it is about, before the code or the link. */
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
  'lowBalance',
  'channels',
  'test',
] as const;
export type MailKind = (typeof mailKinds)[number];

/** What can become of channels by itself, and of what was done with all of them. */
export const noticeKinds = ['channelOff', 'channelOn', 'keyOff', 'keyOn', 'usage', 'testDone', 'more'] as const;
export type NoticeKind = (typeof noticeKinds)[number];

/** Of one language. */
export type MailTexts = Record<MailKind, MailWords> & {
  /** Each stands on a line of its own. */
  events: Record<NoticeKind, string>;
  /** Below a link, for mail programs that show no buttons. */
  linkHint: string;
  /** At the end of every mail. */
  sentBy: string;
};
