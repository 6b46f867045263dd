import { Link } from '@tanstack/react-router';
import { Box, CircleCheck, KeyRound, Plus, Zap } from 'lucide-react';
import { useState } from 'react';
import { Badge } from '#ui/basic/badge.tsx';
import { Button, IconButton, type ButtonVariant } from '#ui/basic/button.tsx';
import { Card } from '#ui/basic/card.tsx';
import { Checkbox, Radio } from '#ui/form/checkbox.tsx';
import { Chip, Kbd } from '#ui/basic/chip.tsx';
import { CodeBlock } from '#ui/basic/code-block.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { HealthStrip } from '#domain/channel/health-strip.tsx';
import { LiveDot } from '#ui/feedback/live-dot.tsx';
import { MenuButton } from '#ui/overlay/menu-button.tsx';
import { MiddleCut } from '#ui/basic/middle-cut.tsx';
import { ModelName } from '#domain/model/model-name.tsx';
import { Money } from '#ui/format/money.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { PageHeader } from '#ui/basic/page-header.tsx';
import { ProgressBar } from '#ui/feedback/progress-bar.tsx';
import { Secret } from '#ui/form/secret.tsx';
import { Segmented } from '#ui/form/segmented.tsx';
import { setSiteFormat, useSiteFormat } from '#ui/format/site-format.ts';
import { Sparkline } from '#ui/chart/sparkline.tsx';
import { Status, type StatusKind } from '#ui/feedback/status.tsx';
import { Switch } from '#ui/form/switch.tsx';
import { TabPanel, Tabs } from '#ui/basic/tabs.tsx';
import { Countdown, Time } from '#ui/format/time.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { StatesCharts } from './states-charts.tsx';
import { StatesForms } from './states-forms.tsx';
import { StatesOverlays } from './states-overlays.tsx';
import { Line, Part } from './states-parts.tsx';
import { StatesTable } from './states-table.tsx';

const now = Math.floor(Date.now() / 1000);
const variants: ButtonVariant[] = ['primary', 'default', 'ghost', 'danger'];
/** All kinds; a new one missing here does not compile. */
const kinds = Object.keys({
  enabled: 1,
  disabled: 1,
  testDisabled: 1,
  frozen: 1,
  rotating: 1,
  failing: 1,
  doubtful: 1,
  slow: 1,
  expired: 1,
  exhausted: 1,
  unredeemed: 1,
  redeemed: 1,
  pending: 1,
  paid: 1,
  closed: 1,
  refunded: 1,
  queued: 1,
  running: 1,
  done: 1,
  answered: 1,
  client_gone: 1,
  broken: 1,
  failed: 1,
  released: 1,
  refused: 1,
  online: 1,
  offline: 1,
  unknown: 1,
} satisfies Record<StatusKind, 1>) as StatusKind[]; // `keys` loses the type of its argument
const bars = Array.from({ length: 24 }, (_, hour) => ({
  time: `${hour}:00`,
  requests: hour === 5 ? 0 : 120,
  failures: hour > 20 ? 60 : hour === 7 ? 6 : 0,
}));

/** Every shared component in its states. Development builds only. */
export function StatesScreen() {
  return (
    <main className="mx-auto grid max-w-350 gap-6 p-6 max-sm:gap-4 max-sm:p-4">
      <PageHeader
        title="States"
        text="One component each, used everywhere"
        help="Help stands over the page and pushes nothing down."
      >
        <Button icon={Zap}>Test all</Button>
        <Button variant="primary" icon={Plus}>
          Add channel
        </Button>
      </PageHeader>
      <div className="grid gap-6 lg:grid-cols-3">
        <Buttons />
        <Controls />
        <Facts />
      </div>
      <StatesForms />
      <StatesTable />
      <StatesCharts />
      <Nothing />
      <StatesOverlays />
      <Messages />
    </main>
  );
}

function Buttons() {
  return (
    <Part title="Buttons">
      {variants.map((variant) => (
        <Line key={variant}>
          <Button variant={variant}>Save</Button>
          <Button variant={variant} icon={Zap} size="sm">
            Test
          </Button>
          <Button variant={variant} busy>
            Save
          </Button>
          <Button variant={variant} disabled>
            Save
          </Button>
        </Line>
      ))}
      <Line>
        <Button size="lg" render={<a href="#top" />}>
          A link
        </Button>
        <IconButton label="Test channel" icon={Zap} />
        <IconButton label="Test channel" icon={Zap} variant="default" />
        <IconButton label="Test channel" icon={Zap} active size="sm" />
        <IconButton label="Test channel" icon={Zap} busy />
        <IconButton label="Test channel" icon={Zap} disabled />
        <MenuButton
          label="Use"
          icon={KeyRound}
          iconOnly={false}
          entries={() => [
            { heading: 'Chat clients' },
            { label: 'Open chat', icon: Box, onSelect: () => toast.info('Opened') },
            { label: 'Edit', shortcut: 'E', onSelect: () => toast.success('Saved channel mistral-eu') },
            { label: 'A link', render: <Link to="/" /> },
            'line',
            {
              label: 'Delete channel…',
              danger: true,
              onSelect: () => toast.error('Too many requests', { detail: 'Try again in 20 seconds.' }),
            },
          ]}
        />
      </Line>
    </Part>
  );
}

function Controls() {
  const [view, setView] = useState('list');
  const [tab, setTab] = useState('curl');
  const [on, setOn] = useState(true);
  return (
    <Part title="Controls">
      <Line>
        <Segmented
          label="View"
          value={view}
          onChange={setView}
          options={[
            { value: 'list', label: 'List' },
            { value: 'tags', label: 'Tags' },
          ]}
        />
        <Checkbox label="Off" checked={!on} onChange={() => setOn(!on)} />
        <Checkbox label="On" checked={on} onChange={setOn} />
        <Checkbox label="Some" checked={false} indeterminate onChange={setOn} />
        <Radio name="one" aria-label="One" checked={on} onChange={() => setOn(true)} />
        <Radio name="one" aria-label="Two" checked={!on} onChange={() => setOn(false)} />
        <Switch label="Switch" checked={on} onChange={setOn} />
        <Switch label="Switch off" checked={!on} onChange={(next) => setOn(!next)} />
        <Switch label="Switch disabled" checked disabled />
      </Line>
      <Tabs
        id="states"
        label="Languages"
        value={tab}
        onChange={setTab}
        tabs={[
          { value: 'curl', label: 'curl' },
          { value: 'python', label: 'Python' },
          { value: 'ts', label: 'TypeScript', badge: 2 },
        ]}
      />
      <TabPanel id="states" value={tab}>
        <CodeBlock
          label={tab}
          code={
            'curl https://hub.example.com/v1/chat/completions \\\n  -H "Authorization: Bearer $RELAY_KEY" \\\n  -d \'{"model": "gpt-4o-mini"}\''
          }
        />
      </TabPanel>
      <Line>
        <Chip>vip ×0.8</Chip>
        <Chip tone="outline">2 attempts</Chip>
        <Chip tone="accent">New</Chip>
        <Badge>82</Badge>
        <Badge tone="bad">3</Badge>
        <Kbd>⌘K</Kbd>
        <LiveDot note="1 s ago" />
        <LiveDot on={false} />
      </Line>
      <ProgressBar label="Testing channels" value={31} max={50} />
    </Part>
  );
}

function Facts() {
  const { inCurrency } = useSiteFormat();
  return (
    <Part title="Status and small parts">
      <div className="grid grid-cols-2 gap-2">
        {kinds.map((kind) => (
          <Status key={kind} kind={kind} />
        ))}
        <Status kind="frozen" note={<Countdown until={now + 161} />} detail="429 rate limit" />
        <Status kind="failed" text="504 timeout" />
      </div>
      <Secret
        masked="sk-••••••••h2Kq"
        name="key of prod-agent"
        load={() => Promise.resolve('sk-0123456789abcdefh2Kq')}
      />
      <Secret boxed masked="sk-••••••••h2Kq" load={() => Promise.resolve('sk-0123456789abcdefh2Kq')} />
      <Line>
        <Money credits={17156} exact /> <Money credits={357_240_617} /> <Money credits={-2_500_000} signed />{' '}
        <Money credits={12} />
        <Button size="sm" onClick={() => setSiteFormat({ inCurrency: !inCurrency, quotaPerUnit: 500_000 })}>
          {inCurrency ? 'Credits' : 'Dollars'}
        </Button>
      </Line>
      <Line>
        <Time at={now - 7200} as="relative" /> <Time at={now - 3} as="relative" /> <Time at={now} /> <Time at={0} />
      </Line>
      <Line>
        <ModelName model="claude-sonnet-4" owner="Anthropic" />
        <span className="w-45">
          <ModelName model="qwen-max-longcontext-2026-01-25-preview" owner="通义" />
        </span>
      </Line>
      <div className="w-36">
        <MiddleCut text="anthropic-production-key-for-evaluation" />
      </div>
      <Line>
        <HealthStrip bars={bars} />
        <Sparkline label="Requests" values={[5, 2, 4, 3.5, 3, 6, 5]} />
      </Line>
    </Part>
  );
}

function Nothing() {
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <Card>
        <EmptyState
          icon={KeyRound}
          title="No tokens yet"
          text="A token is the key a program uses to call this hub."
          action={<Button variant="primary">Create token</Button>}
        />
      </Card>
      <Card>
        <ErrorState text="The server did not answer." onRetry={() => toast.info('Retrying')} />
      </Card>
    </div>
  );
}

function Messages() {
  const work = () => {
    const job = toast.progress('Testing channels', 50, { label: 'Cancel', onClick: () => job.end() });
    job.update({ done: 31, total: 50 });
  };
  return (
    <div className="grid gap-6 lg:grid-cols-3">
      <Part title="Toasts">
        <Line>
          <Button onClick={() => toast.success('Saved channel mistral-eu')}>Success</Button>
          <Button onClick={() => toast.undo('Disabled 3 channels', () => toast.info('Undone'))}>Undo</Button>
          <Button onClick={() => toast.warning('Balance is below $5.00', { detail: 'Calls stop at $0.00.' })}>
            Warning
          </Button>
          <Button onClick={() => toast.error('Too many requests', { detail: 'Try again in 20 seconds.' })}>
            Error
          </Button>
          <Button
            onClick={() => toast.manualCopy('Could not copy. Select the text and copy it manually', 'sk-0123456789')}
          >
            Manual copy
          </Button>
          <Button onClick={work}>Progress</Button>
        </Line>
      </Part>
      <Part title="Notes">
        <Note tone="ok">Tested 20 s ago: gpt-4o-mini answered in 842 ms</Note>
        <Note tone="bad">The provider refused the key.</Note>
        <Note tone="warn">Prices are older than a month.</Note>
        <Note>Changes apply at once.</Note>
      </Part>
      <Part title="Chips with an icon">
        <Line>
          <Chip icon={CircleCheck} tone="ok">
            bound
          </Chip>
        </Line>
      </Part>
    </div>
  );
}
