import type { AuditEntry, Language } from '@relay-hub/contract';
import type { CsvColumn } from '#http/csv.ts';
import { timeWriter } from '#http/csv.ts';

type AuditHeading =
  | 'time'
  | 'actor'
  | 'actorId'
  | 'ip'
  | 'via'
  | 'session'
  | 'access_token'
  | 'mail_link'
  | 'command'
  | 'method'
  | 'path'
  | 'kind';
type AuditExtraHeading = 'objectId' | 'objectName' | 'status' | 'code' | 'agent';

const texts: Record<Language, Record<AuditHeading | AuditExtraHeading, string>> = {
  zh_CN: {
    time: '时间',
    actor: '操作者',
    actorId: '操作者编号',
    ip: 'IP',
    via: '凭据',
    session: '登录',
    access_token: '系统访问令牌',
    mail_link: '邮件链接',
    command: '服务器命令行',
    method: '方法',
    path: '接口',
    kind: '对象类型',
    objectId: '对象编号',
    objectName: '对象名称',
    status: '状态码',
    code: '拒绝原因',
    agent: '浏览器',
  },
  zh_HK: {
    time: '時間',
    actor: '操作者',
    actorId: '操作者編號',
    ip: 'IP',
    via: '憑據',
    session: '登入',
    access_token: '系統存取令牌',
    mail_link: '電郵連結',
    command: '伺服器命令列',
    method: '方法',
    path: '介面',
    kind: '對象類型',
    objectId: '對象編號',
    objectName: '對象名稱',
    status: '狀態碼',
    code: '拒絕原因',
    agent: '瀏覽器',
  },
  en_US: {
    time: 'Time',
    actor: 'By',
    actorId: 'By (ID)',
    ip: 'IP',
    via: 'Authentication',
    session: 'Session',
    access_token: 'Access token',
    mail_link: 'Email link',
    command: 'Server command',
    method: 'Method',
    path: 'Endpoint',
    kind: 'Object',
    objectId: 'Object ID',
    objectName: 'Object name',
    status: 'Status',
    code: 'Error code',
    agent: 'Browser',
  },
  ja_JP: {
    time: '日時',
    actor: '操作者',
    actorId: '操作者の番号',
    ip: 'IP',
    via: '認証',
    session: 'ログイン',
    access_token: 'アクセストークン',
    mail_link: 'メールのリンク',
    command: 'サーバーのコマンド',
    method: 'メソッド',
    path: 'エンドポイント',
    kind: '対象の種類',
    objectId: '対象の番号',
    objectName: '対象の名前',
    status: 'ステータス',
    code: '拒否の理由',
    agent: 'ブラウザ',
  },
};

/** The columns of an export, without inputs and changes; those are in each entry. */
export function auditCsv(language: Language, timeZone: string): CsvColumn<AuditEntry>[] {
  const text = texts[language];
  const time = timeWriter(timeZone);
  return [
    { heading: 'ID', cell: (entry) => entry.id },
    { heading: `${text.time} (${timeZone || 'UTC'})`, cell: (entry) => time(entry.created_time) },
    { heading: text.actor, cell: (entry) => entry.actor_name },
    { heading: text.actorId, cell: (entry) => entry.actor_id },
    { heading: text.ip, cell: (entry) => entry.ip },
    { heading: text.via, cell: (entry) => text[entry.via] },
    { heading: text.method, cell: (entry) => entry.method },
    { heading: text.path, cell: (entry) => entry.path },
    { heading: text.kind, cell: (entry) => entry.kind },
    { heading: text.objectId, cell: (entry) => entry.object_id },
    { heading: text.objectName, cell: (entry) => entry.object_name },
    { heading: text.status, cell: (entry) => entry.status },
    { heading: text.code, cell: (entry) => entry.code },
    { heading: text.agent, cell: (entry) => entry.user_agent },
  ];
}
