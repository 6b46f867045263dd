import type {
  Announcement,
  AnnouncementKind,
  AnnouncementTexts,
  EventType,
  IncidentKind,
  IncidentParams,
  IncidentSeverity,
  Language,
  Notification,
  NotificationKind,
  WayKind,
} from '@relay-hub/contract';
import type { Generated } from 'kysely';
import type { JsonColumn } from './json-column.ts';

/** A trouble of a node, as in `PresentTrouble`. */
export interface NodeTrouble {
  kind: IncidentKind;
  object: string;
  severity: IncidentSeverity;
  params: IncidentParams;
  cause: string;
}

export interface AlarmsTables {
  notifications: {
    id: Generated<number>;
    /** 0: all administrators. */
    user_id: number;
    /** Equal ones are one row. */
    fold: string;
    kind: NotificationKind;
    severity: Notification['severity'];
    object_id: number;
    /** JSON: names, reasons, amounts. */
    params: string;
    first_time: number;
    time: number;
    count: Generated<number>;
  };
  notification_reads: { notification_id: number; user_id: number };
  incidents: {
    id: Generated<number>;
    kind: IncidentKind;
    object: string;
    /** Kind and object while it is open, so that there is one; null: closed. */
    open_key: string | null;
    severity: IncidentSeverity;
    began_at: number;
    opened_at: number;
    updated_at: number;
    closed_at: Generated<number>;
    cause: string;
    /** Names and numbers. */
    params: JsonColumn<IncidentParams>;
    acknowledged_by: Generated<string>;
    acknowledged_at: Generated<number>;
    muted_until: Generated<number>;
    note: Generated<string>;
    /** Text for the status page; null: it is not published. */
    public_words: string | null;
  };
  announcements: {
    id: Generated<number>;
    kind: AnnouncementKind;
    texts: JsonColumn<AnnouncementTexts>;
    start_time: number;
    end_time: number;
    /** Empty: all. */
    groups: JsonColumn<string[]>;
    languages: JsonColumn<Language[]>;
    dismissible: boolean;
    created_time: number;
    created_by: string;
    mail_state: Announcement['mail_state'];
    mailed: Generated<number>;
    /** The last user whose turn came. */
    mail_after: Generated<number>;
  };
  /** Troubles that only the node itself sees, for the node that looks for incidents. */
  node_troubles: { node: string; troubles: JsonColumn<NodeTrouble[]> };
  /** Events, each written in the transaction of its cause. */
  outbox: {
    id: Generated<number>;
    type: EventType;
    /** Its subject, as in `incident:5`, whose events are delivered in their order. */
    object: string;
    /** The owner of the event; 0: the site. */
    user_id: number;
    severity: IncidentSeverity;
    /** JSON, the `data` of a webhook. */
    payload: string;
    time: number;
    /** Whether its deliveries were planned. */
    planned: Generated<boolean>;
  };
  /** Ways of delivery. `user_id` 0: the site's operators. */
  ways: {
    id: Generated<number>;
    user_id: number;
    kind: WayKind;
    name: string;
    config_cipher: string;
    hint: string;
    enabled: boolean;
    events: JsonColumn<EventType[]>;
    /** Empty: all. */
    kinds: JsonColumn<IncidentKind[]>;
    severity: IncidentSeverity;
    quiet_from: string;
    quiet_to: string;
    quiet_zone: string;
    confirmed_at: Generated<number>;
    tested_at: Generated<number>;
    failure: Generated<string>;
    /** Consecutive messages that were given up. */
    failures: Generated<number>;
  };
  deliveries: {
    id: Generated<number>;
    event_id: number;
    way_id: number;
    object: string;
    status: Generated<'waiting' | 'delivered' | 'failed'>;
    attempts: Generated<number>;
    created_at: number;
    /** Of the next attempt; 0: none. */
    next_at: number;
    sent_at: Generated<number>;
    http_status: Generated<number>;
    request: Generated<string>;
    answer: Generated<string>;
    /** The service's name of the message, for replies to it. */
    ref: Generated<string>;
  };
}
