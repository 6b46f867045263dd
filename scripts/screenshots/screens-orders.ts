import type { Cockpit, NodeState, OrderDetail, SystemNode, TeamMember } from '@relay-hub/contract';
import type { Page } from '@playwright/test';
import { patching, until } from './screen-acts.ts';
import type { Screen } from './screen.ts';

/** An order as operators see it, much trouble, and members of a team. Replies are mocked: none of them is in the seed. */
export const operatorScreens = (): Screen[] => {
  const order = paidOrder();
  return [
    {
      name: 'payment-order',
      address: `/panel/payment?id=${order.id}`,
      dataOnly: true,
      answers: {
        '**/api/payment/order?*': { data: { data: [order], page: 1, size: 30, total_count: 1 } },
        [`**/api/payment/order/${order.id}`]: { data: order },
      },
      act: until('paymentOrder:entries'),
    },
    {
      name: 'system-troubled',
      address: '/panel/system',
      dataOnly: true,
      act: patching('**/api/system/', { nodes: troubledNodes() }),
    },
    {
      name: 'team-members',
      address: '/panel/team',
      dataOnly: true,
      answers: { '**/api/team/*/members': { data: { members: members(), orphans } } },
    },
    {
      name: 'dashboard-live-troubled',
      address: '/panel/dashboard',
      dataOnly: true,
      act: async (page, texts) => {
        await streamed(page, troubled());
        await page.goto('/panel/dashboard?view=live');
        await until('cockpit:flow')(page, texts);
      },
    },
  ];
};

const now = Math.floor(Date.now() / 1000);

function paidOrder(): OrderDetail {
  const at = now - 2 * 3600;
  const step = (id: number, kind: OrderDetail['events'][number]['kind'], after: number, more: object = {}) => ({
    id,
    kind,
    created_at: at + after,
    last_at: at + after,
    count: 1,
    checks: [],
    facts: {},
    has_evidence: false,
    ...more,
  });
  const entry = (id: number, kind: 'topup' | 'refund', credits: number, after: number, remark: string) => ({
    id,
    user_id: 2,
    username: 'liu.wei',
    token_id: null,
    token_name: '',
    kind,
    credits,
    balance_after: 61_000_000 + credits,
    reference: kind === 'topup' ? 'order:20261120093012482913' : 'refund:20261120113012000001',
    actor: 'system' as const,
    actor_id: 0,
    actor_name: '',
    remark,
    created_time: at + after,
  });
  return {
    id: 4,
    trade_no: '20261120093012482913',
    gateway_id: 1,
    gateway_name: '支付宝',
    gateway_type: 'alipay',
    gateway_icon: '',
    gateway_no: '2026112022001432165498127745',
    amount: 100,
    fee: 0,
    fee_minor: 0,
    discount: 5,
    discount_minor: 500,
    order_amount: 693.5,
    order_minor: 69_350,
    order_currency: 'CNY',
    rate: '7.3',
    quota: 50_000_000,
    status: 'part_refunded',
    created_at: at,
    updated_at: at + 7200,
    expires_at: at + 900,
    paid_at: at + 41,
    refunded_minor: 13_870,
    refunded_quota: 10_000_000,
    receipt_no: '2026-000318',
    user_id: 2,
    username: 'liu.wei',
    attention: 'none',
    completed_by: '',
    events: [
      step(1, 'created', 0),
      step(2, 'started', 1, { facts: { expires_at: String(at + 900) } }),
      step(3, 'notice_accepted', 41, {
        checks: (['signature', 'amount', 'currency'] as const).map((check) => ({ check, ok: true })),
        has_evidence: true,
      }),
      step(4, 'credited', 41, {
        facts: { quota: '50000000', balance_before: '61000000', balance_after: '111000000', receipt_no: '2026-000318' },
      }),
    ],
    refunds: [],
    disputes: [],
    balance: 61_000_000,
    unspent_quota: 40_000_000,
    source_ip: '203.0.113.24',
    merchant: '2088••••7745',
    refunds_by_gateway: 'part',
    gateway_deleted: false,
    completed_remark: '',
    next_query_at: 0,
    entries: [entry(1, 'topup', 50_000_000, 41, '支付宝'), entry(2, 'refund', -10_000_000, 7200, 'sent twice')],
  };
}

/** Thirty failing channels of forty. */
function troubled(): Cockpit {
  const every = (value: number) => Array.from({ length: 60 }, (_, at) => value + ((at * 7) % 5));
  const channel = (id: number, failed: number, state: 'well' | 'failing'): Cockpit['channels'][number] => ({
    id,
    name: `openai-region-${id}`,
    type: 1,
    attempts: 400 - id * 10,
    failed,
    state,
    reason: state === 'well' ? null : 'server',
    reason_count: failed,
    first_token: 640,
    usual_first_token: 610,
    frozen_until: 0,
  });
  return {
    time: now,
    from: now - (now % 60) - 59 * 60,
    minutes: {
      calls: every(80),
      refused: every(0),
      failed: every(4),
      attempts: every(120),
      failed_attempts: every(44),
      quota: every(9000),
      p50: every(620),
      p95: every(1900),
    },
    total: {
      calls: 4920,
      refused: 120,
      failed: 360,
      retries: 2400,
      unsent: 0,
      attempts: 7200,
      failed_attempts: 2760,
      quota: 660_000,
      streams: 4300,
      p50: 622,
      p95: 1903,
    },
    recent: {
      from: now - (now % 60) - 300,
      calls: 452,
      refused: 11,
      failed: 33,
      quota: 60_500,
      streams: 395,
      p50: 640,
      p95: 1990,
    },
    users: ['alice', 'liu.wei', 'ci-runner'].map((name, at) => ({
      id: at + 1,
      name,
      token: 'main',
      tokens: at + 1,
      calls: 1900 - at * 400,
      refused: at * 40,
      failed: 120,
    })),
    other_users: { count: 4, calls: 520, refused: 0, failed: 0 },
    models: [{ name: 'gpt-4o', calls: 4920, refused: 120, failed: 360 }],
    other_models: { count: 0, calls: 0, refused: 0, failed: 0 },
    channels: [
      channel(1, 0, 'well'),
      channel(2, 1, 'well'),
      ...Array.from({ length: 8 }, (_, at) => channel(at + 3, 180 - at * 4, 'failing')),
    ],
    other_channels: { count: 30, attempts: 4000, failed: 1400, troubled: 22 },
    troubles: [],
  };
}

/** Answers the stream of the live view with one state; it is then closed. */
const streamed = (page: Page, state: Cockpit) =>
  page.route('**/api/dashboard/live', (route) =>
    route.fulfill({
      contentType: 'text/event-stream',
      body: `data:${JSON.stringify({ type: 'cockpit', data: state })}\n\n`,
    }),
  );

const orphans = [{ id: 91, name: 'nightly-evaluation', key: 'sk-…7Qd2', username: 'o.brien' }];

/** Members of every role and origin. */
function members(): TeamMember[] {
  const member = (user_id: number, username: string, more: Partial<TeamMember>): TeamMember => ({
    user_id,
    username,
    display_name: '',
    enabled: true,
    role: 'member',
    cost_centre: '',
    created_time: now - 90 * 86_400,
    offered: false,
    source: '',
    tokens: 2,
    used_quota: 4_812_000 / user_id,
    ...more,
  });
  return [
    member(1, 'root', { display_name: 'Root User', role: 'owner', tokens: 0 }),
    member(2, 'liu.wei', { display_name: '刘伟', role: 'admin', cost_centre: 'R-2026', offered: true }),
    member(3, 'wolfeschlege', { display_name: 'Wolfeschlegelsteinhausenbergerdorff', source: 'scim', tokens: 14 }),
    member(4, 'accounts-payable', { role: 'billing', cost_centre: 'Finance', tokens: 0 }),
    member(5, 'member-7', { enabled: false, tokens: 1 }),
  ];
}

/** A node whose exports fail and whose settlements wait, and one that is silent. */
function troubledNodes(): SystemNode[] {
  const job = (name: NodeState['jobs'][number]['name'], error = '') => ({
    name,
    ran_time: now - 12,
    took: 34,
    failures: error === '' ? 0 : 3,
    error,
  });
  const state: NodeState = {
    version: '1.0.0-beta.1',
    node_version: 'v26.10.0',
    time: now,
    memory: 412_000_000,
    delay: 12.4,
    cpu: 0.31,
    open_calls: 128,
    waiting: 412,
    late: 38,
    refused: 0,
    journal: 48_000_000,
    disk_free: 3_100_000_000,
    disk_size: 64_000_000_000,
    redis: 'away',
    jobs: [job('backups', 'ENOSPC: no space left on device, write'), job('incidents'), job('sums')],
    telemetry: [
      {
        signal: 'traces',
        exported: 1_284_330,
        dropped: 5120,
        exported_time: now - 320,
        error: '503 Service Unavailable',
      },
      { signal: 'metrics', exported: 88_400, dropped: 0, exported_time: now - 14, error: '' },
    ],
  };
  const node = { pid: 71, started_time: now - 86_400, is_this: true, seen_time: now, state };
  return [
    { ...node, id: 'a', host: 'relay-hub-7d9f8c6b5-x2k4p' },
    {
      ...node,
      id: 'b',
      host: 'relay-hub-7d9f8c6b5-q8z1m',
      is_this: false,
      seen_time: now - 95,
      state: { ...state, late: 0, waiting: 0, jobs: [], telemetry: [] },
    },
  ];
}
