import type { Language, Log, LogMetadata, UsageMark } from '@relay-hub/contract';
import { logType } from '@relay-hub/contract';
import type { CsvColumn } from '#http/csv.ts';
import { timeWriter } from '#http/csv.ts';

const CREDITS_PER_USD = 500_000;

type LogOutcome = NonNullable<LogMetadata['outcome']>;

interface LogCsvTexts {
  headings: Record<Heading, string>;
  types: Record<number, string>;
  outcomes: Record<LogOutcome, string>;
  marks: Record<UsageMark, string>;
}

type Heading = (typeof headings)[number];
const headings = [
  'time',
  'type',
  'user',
  'channel',
  'token',
  'group',
  'model',
  'credits',
  'usd',
  'input',
  'cached',
  'output',
  'duration',
  'firstByte',
  'speed',
  'stream',
  'outcome',
  'status',
  'code',
  'reason',
  'calls',
  'firstTime',
  'usageMark',
  'attempts',
  'inputRatio',
  'outputRatio',
  'groupRatio',
  'priceVersion',
  'ip',
  'requestId',
  'detail',
] as const;

const texts: Record<Language, LogCsvTexts> = {
  zh_CN: {
    headings: {
      time: '时间',
      type: '类型',
      user: '用户',
      channel: '渠道',
      token: '令牌',
      group: '分组',
      model: '模型',
      credits: '额度',
      usd: '美元',
      input: '输入 Token',
      cached: '缓存命中 Token',
      output: '输出 Token',
      duration: '总耗时（毫秒）',
      firstByte: '首字（毫秒）',
      speed: '速度（Token/秒）',
      stream: '流式',
      outcome: '结果',
      status: '状态码',
      code: '错误代码',
      reason: '原因',
      calls: '次数',
      firstTime: '首次时间',
      usageMark: '用量核对',
      attempts: '尝试次数',
      inputRatio: '输入倍率',
      outputRatio: '输出倍率',
      groupRatio: '分组倍率',
      priceVersion: '价格版本',
      ip: '来源 IP',
      requestId: '请求编号',
      detail: '详情',
    },
    types: {
      [logType.topup]: '充值',
      [logType.consume]: '消费',
      [logType.manage]: '管理',
      [logType.system]: '系统',
      [logType.refused]: '拒绝',
    },
    outcomes: {
      answered: '成功',
      client_gone: '客户端断开',
      broken: '中途断开',
      failed: '失败',
      released: '已释放',
    },
    marks: { implausible: '不可信', unusual: '异常' },
  },
  zh_HK: {
    headings: {
      time: '時間',
      type: '類型',
      user: '用戶',
      channel: '渠道',
      token: '令牌',
      group: '群組',
      model: '模型',
      credits: '額度',
      usd: '美元',
      input: '輸入 Token',
      cached: '快取命中 Token',
      output: '輸出 Token',
      duration: '總耗時（毫秒）',
      firstByte: '首字（毫秒）',
      speed: '速度（Token/秒）',
      stream: '串流',
      outcome: '結果',
      status: '狀態碼',
      code: '錯誤代碼',
      reason: '原因',
      calls: '次數',
      firstTime: '首次時間',
      usageMark: '用量核對',
      attempts: '嘗試次數',
      inputRatio: '輸入倍率',
      outputRatio: '輸出倍率',
      groupRatio: '群組倍率',
      priceVersion: '價格版本',
      ip: '來源 IP',
      requestId: '請求編號',
      detail: '詳情',
    },
    types: {
      [logType.topup]: '充值',
      [logType.consume]: '消費',
      [logType.manage]: '管理',
      [logType.system]: '系統',
      [logType.refused]: '拒絕',
    },
    outcomes: {
      answered: '成功',
      client_gone: '用戶端斷線',
      broken: '中途斷線',
      failed: '失敗',
      released: '已釋放',
    },
    marks: { implausible: '不可信', unusual: '異常' },
  },
  en_US: {
    headings: {
      time: 'Time',
      type: 'Type',
      user: 'User',
      channel: 'Channel',
      token: 'Token',
      group: 'Group',
      model: 'Model',
      credits: 'Credits',
      usd: 'USD',
      input: 'Input tokens',
      cached: 'Cached tokens',
      output: 'Output tokens',
      duration: 'Duration (ms)',
      firstByte: 'First byte (ms)',
      speed: 'Tokens per second',
      stream: 'Stream',
      outcome: 'Outcome',
      status: 'Status',
      code: 'Error code',
      reason: 'Reason',
      calls: 'Calls',
      firstTime: 'First occurrence',
      usageMark: 'Usage check',
      attempts: 'Attempts',
      inputRatio: 'Input ratio',
      outputRatio: 'Output ratio',
      groupRatio: 'Group ratio',
      priceVersion: 'Price version',
      ip: 'Source IP',
      requestId: 'Request ID',
      detail: 'Detail',
    },
    types: {
      [logType.topup]: 'Top-up',
      [logType.consume]: 'Call',
      [logType.manage]: 'Manage',
      [logType.system]: 'System',
      [logType.refused]: 'Refused',
    },
    outcomes: {
      answered: 'Succeeded',
      client_gone: 'Client disconnected',
      broken: 'Interrupted',
      failed: 'Failed',
      released: 'Released',
    },
    marks: { implausible: 'Implausible', unusual: 'Unusual' },
  },
  ja_JP: {
    headings: {
      time: '日時',
      type: '種類',
      user: 'ユーザー',
      channel: 'チャネル',
      token: 'トークン',
      group: 'グループ',
      model: 'モデル',
      credits: 'クレジット',
      usd: '米ドル',
      input: '入力トークン数',
      cached: 'キャッシュ入力トークン数',
      output: '出力トークン数',
      duration: '所要時間（ミリ秒）',
      firstByte: '初回応答（ミリ秒）',
      speed: '速度（トークン/秒）',
      stream: 'ストリーム',
      outcome: '結果',
      status: 'ステータス',
      code: 'エラーコード',
      reason: '理由',
      calls: '回数',
      firstTime: '初回日時',
      usageMark: '使用量の確認',
      attempts: '試行回数',
      inputRatio: '入力倍率',
      outputRatio: '出力倍率',
      groupRatio: 'グループ倍率',
      priceVersion: '価格バージョン',
      ip: '送信元 IP',
      requestId: 'リクエスト ID',
      detail: '詳細',
    },
    types: {
      [logType.topup]: 'チャージ',
      [logType.consume]: '利用',
      [logType.manage]: '管理',
      [logType.system]: 'システム',
      [logType.refused]: '拒否',
    },
    outcomes: {
      answered: '成功',
      client_gone: 'クライアント切断',
      broken: '途中切断',
      failed: '失敗',
      released: '解放済み',
    },
    marks: { implausible: 'あり得ない値', unusual: '通常と異なる値' },
  },
};

/** The columns of an export; user and channel for administrators only. */
export function logCsv(language: Language, timeZone: string, reader: 'owner' | 'administrator'): CsvColumn<Log>[] {
  const text = texts[language];
  const time = timeWriter(timeZone);
  const cells: Record<Heading, CsvColumn<Log>['cell']> = {
    time: (row) => time(row.created_at),
    type: (row) => text.types[row.type] ?? row.type,
    user: (row) => row.username,
    channel: (row) => row.channel?.name ?? (row.channel_id === 0 ? '' : `#${row.channel_id}`),
    token: (row) => row.token_name,
    group: (row) => row.metadata?.group_name ?? '',
    model: (row) => row.model_name,
    credits: (row) => row.quota,
    usd: (row) => row.quota / CREDITS_PER_USD,
    input: ofCall((row) => row.prompt_tokens),
    cached: ofCall(({ metadata }) => (metadata?.cached_tokens ?? 0) + (metadata?.cached_read_tokens ?? 0)),
    output: ofCall((row) => row.completion_tokens),
    duration: ofCall((row) => row.request_time),
    firstByte: ofCall((row) => row.metadata?.first_response ?? null),
    speed: ofCall(speedOf),
    stream: ofCall((row) => row.is_stream),
    outcome: ofCall(({ metadata }) => (metadata?.outcome ? text.outcomes[metadata.outcome] : '')),
    status: ({ metadata }) => metadata?.status ?? null,
    code: ({ metadata }) => metadata?.error ?? '',
    reason: reasonOf,
    // A row of refused calls stands for several calls.
    calls: ({ type, metadata }) => (type === logType.consume ? 1 : (metadata?.refusal?.count ?? null)),
    firstTime: ({ metadata }) => (metadata?.refusal ? time(metadata.refusal.first_time) : ''),
    usageMark: ofCall(({ metadata }) => (metadata?.usage_mark ? text.marks[metadata.usage_mark] : '')),
    attempts: ofCall((row) => row.metadata?.attempts?.length ?? null),
    inputRatio: ofCall((row) => row.metadata?.input_ratio ?? null),
    outputRatio: ofCall((row) => row.metadata?.output_ratio ?? null),
    groupRatio: ofCall((row) => row.metadata?.group_ratio ?? null),
    priceVersion: ofCall((row) => row.metadata?.price_version ?? null),
    ip: (row) => row.source_ip,
    requestId: (row) => row.request_id,
    detail: detailOf,
  };
  return headings
    .filter((heading) => reader === 'administrator' || (heading !== 'user' && heading !== 'channel'))
    .map((heading) => ({
      heading: heading === 'time' ? `${text.headings.time} (${timeZone || 'UTC'})` : text.headings[heading],
      cell: cells[heading],
    }));
}

const ofCall =
  (cell: CsvColumn<Log>['cell']): CsvColumn<Log>['cell'] =>
  (row) =>
    row.type === logType.consume ? cell(row) : null;

/** The code of the refusal or of the last attempt's failure. */
function reasonOf({ metadata }: Log): string {
  const last = metadata?.attempts?.at(-1)?.result ?? 'ok';
  return metadata?.refusal?.reason ?? (last === 'ok' ? (metadata?.error ?? '') : last);
}

/** The log text, or the upstream's message of the last failed attempt. */
function detailOf({ content, metadata }: Log): string {
  const last = metadata?.attempts?.at(-1);
  return content || (last && last.result !== 'ok' ? (last.message ?? '') : '');
}

/** Output tokens per second after the first byte, as in the console; only streams record when that was. */
function speedOf({ is_stream: stream, completion_tokens: tokens, request_time: ms, metadata }: Log): number | null {
  const writing = ms - (metadata?.first_response ?? ms);
  return stream && tokens > 0 && writing >= 20 ? Math.round((tokens * 10_000) / writing) / 10 : null;
}
