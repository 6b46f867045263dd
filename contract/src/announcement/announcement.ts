import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { languageCodes, perLanguage } from '../language.ts';
import { listQuery, pageOf } from '../list.ts';
import { id, idParam, seconds } from '../values.ts';

/** `maintenance`: calls of API clients are refused from begin to end, except those of administrators. */
export const announcementKinds = ['notice', 'maintenance'] as const;
export type AnnouncementKind = (typeof announcementKinds)[number];

const words = z._default(z.string().check(z.trim(), z.maxLength(2000)), '');

/** Plain text by language; readers of an empty one get that of the site's language, else any. */
export const announcementTexts = z
  .object(perLanguage(() => words))
  .check(z.refine((texts) => Object.values(texts).some((text) => text !== ''), { error: 'announcement.text' }));
export type AnnouncementTexts = z.infer<typeof announcementTexts>;

const time = seconds.check(z.gte(0), z.lte(253_402_300_799));

const fields = {
  kind: z._default(z.enum(announcementKinds), 'notice'),
  texts: announcementTexts,
  /** 0: at once. */
  start_time: z._default(time, 0),
  /** 0: until it is deleted; a maintenance needs an end. */
  end_time: z._default(time, 0),
  /** Symbols of user groups; empty: everyone, visitors included. Not for a maintenance, which concerns all. */
  groups: z._default(z.array(z.string().check(z.trim(), z.minLength(1), z.maxLength(50))).check(z.maxLength(100)), []),
  /** Languages of its readers; empty: all. */
  languages: z._default(z.array(z.enum(languageCodes)), []),
  /** Readers can close it for good. */
  dismissible: z._default(z.boolean(), true),
};

interface Window {
  kind: AnnouncementKind;
  start_time: number;
  end_time: number;
}

const endsAfterBegin = ({ kind, start_time: start, end_time: end }: Window): boolean =>
  end === 0 ? kind === 'notice' : end > start;
const wrongEnd = { error: 'announcement.end', path: ['end_time'] };

export const newAnnouncement = z
  .object({
    ...fields,
    /** Also mail it, once, to the users of its groups and languages who did not unsubscribe. */
    mail: z._default(z.boolean(), false),
  })
  .check(z.refine(endsAfterBegin, wrongEnd));

export const announcementEdit = z.object({ ...fields, id }).check(z.refine(endsAfterBegin, wrongEnd));

export const announcement = z.object({
  id,
  kind: z.enum(announcementKinds),
  texts: announcementTexts,
  start_time: seconds,
  end_time: seconds,
  groups: z.array(z.string()),
  languages: z.array(z.enum(languageCodes)),
  dismissible: z.boolean(),
  created_time: seconds,
  /** User name. */
  created_by: z.string(),
  /** `none`: it is not mailed. */
  mail_state: z.enum(['none', 'sending', 'sent']),
  /** Accepted mails. */
  mailed: z.int(),
});
export type Announcement = z.infer<typeof announcement>;

/** For a reader, in their language. */
const currentAnnouncement = z.object({
  id,
  kind: z.enum(announcementKinds),
  text: z.string(),
  start_time: seconds,
  end_time: seconds,
  dismissible: z.boolean(),
});
export type CurrentAnnouncement = z.infer<typeof currentAnnouncement>;

const withId = z.object({ id: idParam });

export const announcementSchemas = {
  list: {
    audience: 'admin',
    summary: 'List announcements and maintenance windows, newest first',
    query: listQuery(['id', 'start_time']),
    reply: pageOf(announcement),
  },
  current: {
    audience: 'visitor',
    summary: 'Announcements for the caller, and maintenance of the next three days, in the language of the request',
    reply: z.array(currentAnnouncement),
  },
  get: { audience: 'admin', summary: 'Get an announcement', params: withId, reply: announcement },
  create: {
    audience: 'admin',
    summary: 'Publish an announcement or plan a maintenance; times are Unix seconds',
    body: newAnnouncement,
    reply: announcement,
  },
  update: {
    audience: 'admin',
    summary: 'Change an announcement or maintenance; it is not mailed again',
    body: announcementEdit,
    reply: announcement,
  },
  remove: { audience: 'admin', summary: 'Delete an announcement; a running maintenance ends', params: withId },
  unsubscribe: {
    audience: 'public',
    summary: 'Stop mails of announcements, with the token of such a mail; any body is accepted (RFC 8058)',
    params: z.object({ token: z.string().check(z.maxLength(200)) }),
  },
} as const satisfies SchemasByEndpoint;
