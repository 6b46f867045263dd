import { Box, CircleMinus, KeyRound, Pencil, Trash2, Zap } from 'lucide-react';
import { useState } from 'react';
import { BulkAction } from '#ui/table/bulk-bar.tsx';
import { Button, IconButton } from '#ui/basic/button.tsx';
import { DataTable } from '#ui/table/data-table.tsx';
import type { TableQuery, TableSearch } from '#ui/table/table-page.ts';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import type { FilterDef, FilterValues } from '#ui/table/filter.ts';
import { Money } from '#ui/format/money.tsx';
import { OwnerTile } from '#domain/model/owner-tile.tsx';
import { Segmented } from '#ui/form/segmented.tsx';
import { Status } from '#ui/feedback/status.tsx';
import type { Column } from '#ui/table/table-column.ts';
import { toast } from '#ui/feedback/toast.ts';
import { Part } from './states-parts.tsx';

interface Row {
  id: number;
  name: string;
  status: 'enabled' | 'frozen' | 'disabled';
  used: number;
  priority: number;
}

const names = [
  'azure-eastus2-gpt4o',
  'Gemini-备用-tokyo',
  'deepseek-官方-主账号',
  'openai-us-east-primary',
  'a-name-of-about-sixty-characters-that-goes-on-and-on-till-end',
];
const states = ['enabled', 'frozen', 'disabled'] as const;
const all: Row[] = Array.from({ length: 50 }, (_, index) => ({
  id: index + 1,
  name: `${names[index % names.length]}`,
  status: states[index % 3] ?? 'enabled',
  used: (index + 1) * 7_144_800,
  priority: index % 20,
}));

const columns: Column<Row>[] = [
  {
    id: 'name',
    head: 'Channel',
    sortable: true,
    hideable: false,
    phone: 'title',
    cell: (row) => (
      <span className="flex items-center gap-2.5">
        <OwnerTile name={row.name} />
        <span className="min-w-0 leading-[18px]">
          <span className="block truncate">{row.name}</span>
          <span className="block truncate text-12 text-text2">#{row.id} · OpenAI</span>
        </span>
      </span>
    ),
  },
  {
    id: 'status',
    head: 'Status',
    width: 140,
    sortable: true,
    phone: 'line',
    cell: (row) => <Status kind={row.status} />,
  },
  {
    id: 'used',
    head: 'Used',
    width: 130,
    align: 'right',
    sortable: true,
    descFirst: true,
    phone: 'value',
    cell: (row) => <Money credits={row.used} />,
  },
  { id: 'groups', head: 'Groups', width: 150, hidden: true, cell: () => 'default, vip' },
  { id: 'priority', head: 'Priority', width: 90, align: 'right', phone: 'aside', cell: (row) => row.priority },
];
const filters: FilterDef[] = [
  {
    kind: 'options',
    id: 'status',
    label: 'Status',
    pinned: true,
    options: [
      { value: 1, label: 'enabled' },
      { value: 2, label: 'disabled' },
    ],
  },
  { kind: 'range', id: 'time', label: 'Last used' },
  { kind: 'text', id: 'model', label: 'Model' },
];
const keyOf = (row: Row) => row.id;
const rowActions = () => <IconButton label="Test" icon={Zap} size="sm" onClick={() => toast.success('Tested')} />;
const pageOf = (search: TableSearch) => ({
  data: all.slice((search.page - 1) * search.size, search.page * search.size),
  total_count: all.length,
});

export function StatesTable() {
  const [state, setState] = useState('rows');
  const [search, setSearch] = useState<TableSearch>({ page: 1, size: 10, order: '-used' });
  const [values, setValues] = useState<FilterValues>({ time: '30d' });
  const [text, setText] = useState('');
  const data = {
    rows: pageOf(search),
    loading: undefined,
    empty: { data: [], total_count: 0 },
    stale: pageOf(search),
    error: undefined,
  }[state];
  const page: TableQuery<Row> = {
    data,
    error: state === 'stale' || state === 'error' ? new Error('The server did not answer.') : null,
    isFetching: state === 'loading',
    isPlaceholderData: false,
    dataUpdatedAt: 0,
    refetch: () => setState('rows'),
  };
  return (
    <Part title="Table">
      <Segmented
        label="State"
        value={state}
        onChange={setState}
        options={['rows', 'loading', 'empty', 'stale', 'error'].map((value) => ({ value, label: value }))}
      />
      <DataTable
        name="states"
        label="Channels"
        columns={columns}
        page={page}
        search={search}
        onSearch={(change) => setSearch((now) => ({ ...now, ...change }))}
        keyOf={keyOf}
        nameOf={(row) => row.name}
        toolbar={{
          search: { value: text, placeholder: 'Name, model, tag or base URL', onChange: setText },
          filters,
          values,
          onFilter: (change) => setValues((now) => ({ ...now, ...change })),
          onClear: () => {
            setValues({});
            setText('');
          },
          aside: '50 channels',
        }}
        empty={
          <EmptyState
            icon={KeyRound}
            title="No channels yet"
            text="A channel is an account calls are sent to."
            action={<Button variant="primary">Add channel</Button>}
          />
        }
        onOpen={(row) => toast.info(`Open ${row.name}`)}
        rowActions={rowActions}
        actionsWidth={88}
        rowMenu={(row) => [
          { label: 'Edit', icon: Pencil, shortcut: 'E', onSelect: () => toast.info(`Edit ${row.name}`) },
          { label: 'Check models', icon: Box, onSelect: () => undefined },
          'line',
          { label: 'Disable', icon: CircleMinus, onSelect: () => undefined },
          { label: 'Delete channel…', icon: Trash2, danger: true, onSelect: () => undefined },
        ]}
        bulk={(selection) => (
          <>
            <BulkAction icon={Zap} onClick={() => toast.info('Test')}>
              Test
            </BulkAction>
            <BulkAction icon={Trash2} danger onClick={selection.clear}>
              Delete {selection.rows.length} channels
            </BulkAction>
          </>
        )}
        allRows={() => Promise.resolve(all)}
      />
    </Part>
  );
}
