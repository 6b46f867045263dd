import { Authenticator } from '../authenticator.ts';
import type { OldTable } from './old-table.ts';

/** The device of user 2, whose passkey every old program with passkeys knows. */
export const oldDevice = new Authenticator();

const at = 1_700_000_000;

/** The key of the old epay gateway. */
export const EPAY_KEY = 'epay-key-1';
export const EPAY_UUID = '0123456789abcdef0123456789abcdef';

const times = { submit_time: 'int', start_time: 'int', finish_time: 'int' } as const;

const midjourneys: OldTable['columns'] = {
  id: 'id',
  code: 'int',
  user_id: 'int',
  action: 'text',
  mj_id: 'text',
  prompt: 'text',
  ...times,
  image_url: 'text',
  status: 'text',
  progress: 'text',
  fail_reason: 'text',
  channel_id: 'int',
  quota: 'int',
  buttons: 'text',
  properties: 'text',
};

const image = {
  code: 1,
  user_id: 2,
  action: 'IMAGINE',
  mj_id: '1700000000000001',
  prompt: 'a lighthouse',
  submit_time: at * 1000,
  start_time: at * 1000 + 1500,
  finish_time: at * 1000 + 61_000,
  image_url: 'https://cdn.example.com/1.png',
  status: 'SUCCESS',
  progress: '100%',
  fail_reason: '',
  channel_id: 2,
  quota: 25_000,
  buttons: '[{"customId":"x"}]',
  properties: '{"finalPrompt":"a lighthouse --v 6"}',
};

const tasks: OldTable['columns'] = {
  id: 'id',
  created_at: 'int',
  task_id: 'text',
  platform: 'text',
  user_id: 'int',
  channel_id: 'int',
  quota: 'int',
  action: 'text',
  status: 'text',
  fail_reason: 'text',
  ...times,
  properties: 'json',
  data: 'json',
};

const song = {
  created_at: at,
  task_id: 'song-1',
  platform: 'suno',
  user_id: 2,
  channel_id: 1,
  quota: 50_000,
  action: 'MUSIC',
  status: 'SUCCESS',
  fail_reason: '',
  submit_time: at,
  start_time: at + 1,
  finish_time: at + 60,
  properties: '{}',
  data: '[{"id":"s","title":"Waves","audio_url":"https://cdn.example.com/s.mp3","image_url":""}]',
};

/** Gateways, orders and tasks of one-hub and done-hub: paid, open, failed, and without an owner. */
export function hubHistory(): OldTable[] {
  const gateway = {
    uuid: EPAY_UUID,
    icon: 'alipay',
    notify_domain: '',
    fixed_fee: 0.3,
    percent_fee: 0.03,
    currency: 'CNY',
    sort: 1,
    enable: true,
    created_at: at,
    deleted_at: null,
  };
  const epay = { pay_domain: 'https://pay.example.com', partner_id: '1001', key: EPAY_KEY, pay_type: 'alipay' };
  const order = {
    user_id: 2,
    gateway_id: 1,
    amount: 10,
    order_amount: 74.46,
    order_currency: 'CNY',
    quota: 5_000_000,
    fee: 0.7,
    discount: 0.5,
    created_at: at,
    updated_at: at + 30,
    deleted_at: null,
  };
  return [
    {
      name: 'payments',
      columns: {
        id: 'id',
        type: 'text',
        uuid: 32,
        name: 'text',
        icon: 'text',
        notify_domain: 'text',
        fixed_fee: 'decimal',
        percent_fee: 'decimal',
        currency: 'text',
        config: 'text',
        sort: 'int',
        enable: 'bool',
        created_at: 'int',
        deleted_at: 'time',
      },
      rows: [
        { ...gateway, id: 1, type: 'epay', name: 'Alipay by epay', config: JSON.stringify(epay) },
        {
          ...gateway,
          id: 2,
          type: 'stripe',
          uuid: 'f'.repeat(32),
          name: 'Old Stripe',
          currency: 'USD',
          config: '{"secret_key":"sk_live_gone"}',
          deleted_at: '2026-11-23 14:43:31.424227604+00:00',
        },
        { ...gateway, id: 3, type: 'paypal', uuid: 'e'.repeat(32), name: 'PayPal', config: '{}' },
      ],
    },
    {
      name: 'orders',
      columns: {
        id: 'id',
        user_id: 'int',
        gateway_id: 'int',
        trade_no: 'text',
        gateway_no: 'text',
        amount: 'int',
        order_amount: 'decimal',
        order_currency: 'text',
        quota: 'int',
        fee: 'decimal',
        discount: 'decimal',
        status: 'text',
        created_at: 'int',
        updated_at: 'int',
        deleted_at: 'time',
      },
      rows: [
        { ...order, id: 1, trade_no: '1850000000000000001', gateway_no: 'epay-1', status: 'success' },
        { ...order, id: 2, trade_no: '1850000000000000002', gateway_no: '', status: 'pending' },
        { ...order, id: 3, gateway_id: 2, trade_no: '1850000000000000003', gateway_no: '', status: 'closed' },
        { ...order, id: 4, user_id: 77, trade_no: '1850000000000000004', gateway_no: '', status: 'success' },
        { ...order, id: 5, gateway_id: 3, trade_no: '1850000000000000005', gateway_no: '', status: 'success' },
      ],
    },
    {
      name: 'midjourneys',
      columns: { ...midjourneys, mode: 'text', token_id: 'int' },
      rows: [
        { ...image, id: 1, mode: 'fast', token_id: 2 },
        { ...image, id: 2, mj_id: '', status: 'FAILURE', fail_reason: 'banned', image_url: '', mode: '', token_id: 2 },
        { ...image, id: 3, mj_id: '1700000000000003', status: 'IN_PROGRESS', progress: '55%', mode: '', token_id: 2 },
      ],
    },
    {
      name: 'tasks',
      columns: { ...tasks, progress: 'int', notify_hook: 'text', token_id: 'int' },
      rows: [
        { ...song, id: 1, progress: 100, notify_hook: 'https://me.example/hook', token_id: 2 },
        {
          ...song,
          id: 2,
          task_id: 'clip-1',
          platform: 'kling',
          action: 'text2video',
          data: '{"code":0,"data":{"task_result":{"videos":[{"url":"https://cdn.example.com/v.mp4"}]}}}',
          progress: 100,
          token_id: 0,
        },
        { ...song, id: 3, task_id: 'song-3', status: 'QUEUED', data: null, progress: 0, token_id: 0 },
      ],
    },
  ];
}

/** Passkeys of one-hub since 0.14.24 and of done-hub. */
export const hubPasskeys = (): OldTable => ({
  name: 'webauthn_credentials',
  columns: {
    id: 'id',
    user_id: 'int',
    credential_id: 'blob',
    public_key: 'blob',
    alias: 'text',
    backup_state: 'bool',
    sign_count: 'int',
    created_time: 'int',
  },
  rows: [
    {
      id: 1,
      user_id: 2,
      credential_id: oldDevice.id.toString('hex'),
      public_key: oldDevice.publicKey.toString('hex'),
      alias: 'Phone',
      backup_state: true,
      sign_count: 0,
      created_time: at,
    },
  ],
});

/** Top-ups, tasks and passkeys of new-api. */
export function newApiHistory(): OldTable[] {
  const topUp = { user_id: 2, amount: 10, money: 73.005, create_time: at, complete_time: at + 30, status: 'success' };
  return [
    {
      name: 'top_ups',
      columns: {
        id: 'id',
        user_id: 'int',
        amount: 'int',
        money: 'real',
        trade_no: 'text',
        payment_method: 'text',
        payment_provider: 'text',
        create_time: 'int',
        complete_time: 'int',
        status: 'text',
      },
      rows: [
        { ...topUp, id: 1, trade_no: 'USR2NOabc1', payment_method: 'alipay', payment_provider: '' },
        { ...topUp, id: 2, trade_no: 'ref_2', money: 9.5, payment_method: 'stripe', payment_provider: 'stripe' },
        { ...topUp, id: 3, trade_no: 'USR2NOabc3', status: 'expired', payment_method: '', payment_provider: '' },
        { ...topUp, id: 4, trade_no: 'creem-4', payment_method: 'creem', payment_provider: 'creem' },
        { ...topUp, id: 5, trade_no: 'plan-5', payment_method: 'stripe', payment_provider: 'stripe' },
        { ...topUp, id: 6, trade_no: 'USR2NOabc6', status: 'pending', payment_method: 'alipay', payment_provider: '' },
      ],
    },
    {
      name: 'subscription_orders',
      columns: { id: 'id', trade_no: 'text' },
      rows: [{ id: 1, trade_no: 'plan-5' }],
    },
    {
      name: 'user_subscriptions',
      columns: {
        id: 'id',
        user_id: 'int',
        amount_total: 'int',
        amount_used: 'int',
        end_time: 'int',
        status: 'text',
        prev_user_group: 'text',
      },
      rows: [
        {
          id: 1,
          user_id: 2,
          amount_total: 900,
          amount_used: 300,
          end_time: at,
          status: 'active',
          prev_user_group: 'vip',
        },
        { id: 2, user_id: 2, amount_total: 900, amount_used: 0, end_time: at, status: 'expired', prev_user_group: '' },
      ],
    },
    { name: 'midjourneys', columns: { ...midjourneys, video_url: 'text' }, rows: [{ ...image, id: 1, video_url: '' }] },
    {
      name: 'tasks',
      columns: { ...tasks, progress: 'text', private_data: 'json' },
      rows: [
        { ...song, id: 1, progress: '100%', private_data: null },
        {
          ...song,
          id: 2,
          task_id: 'task_2',
          platform: '50',
          properties: '{"input":"a boat","origin_model_name":"kling-v2"}',
          data: '{}',
          progress: '100%',
          private_data: '{"key":"sk-upstream-secret","result_url":"https://cdn.example.com/v.mp4"}',
        },
        {
          ...song,
          id: 3,
          task_id: 'task_3',
          platform: '50',
          status: 'FAILURE',
          fail_reason: 'blocked',
          data: null,
          progress: '100%',
          private_data: null,
        },
      ],
    },
    {
      name: 'passkey_credentials',
      columns: {
        id: 'id',
        user_id: 'int',
        credential_id: 'text',
        public_key: 'text',
        sign_count: 'int',
        backup_state: 'bool',
        transports: 'text',
        created_at: 'time',
        deleted_at: 'time',
      },
      rows: [
        {
          id: 1,
          user_id: 2,
          credential_id: oldDevice.id.toString('base64'),
          public_key: oldDevice.publicKey.toString('base64'),
          sign_count: 0,
          backup_state: false,
          transports: '["internal","hybrid"]',
          created_at: '2026-11-23 14:43:31.424227604+00:00',
          deleted_at: null,
        },
      ],
    },
  ];
}
