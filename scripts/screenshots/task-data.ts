import type { Task, TaskMedia } from '@relay-hub/contract';

const DAY = 86_400;

/** A drawn picture of a hill below a moon, as a data URL. */
const picture = (hue: number, [width, height]: readonly [number, number], cells = 1): string => {
  const cell = `<symbol id="c" viewBox="0 0 160 100" preserveAspectRatio="none"><rect width="160" height="100" fill="hsl(${hue} 45% 78%)"/><circle cx="${60 + (hue % 60)}" cy="34" r="17" fill="hsl(${hue + 40} 80% 88%)"/><path d="M0 70Q40 40 80 64T160 56V100H0Z" fill="hsl(${hue} 40% 48%)"/><path d="M0 84Q50 62 100 82T160 78V100H0Z" fill="hsl(${hue} 42% 34%)"/></symbol>`;
  const uses = Array.from({ length: cells * cells }, (_, at) => {
    const [w, h] = [width / cells, height / cells];
    return `<use href="#c" x="${(at % cells) * w}" y="${Math.floor(at / cells) * h}" width="${w - (cells > 1 ? 2 : 0)}" height="${h - (cells > 1 ? 2 : 0)}"/>`;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${cell}<rect width="100%" height="100%" fill="#fff"/>${uses.join('')}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
};

const square = [1024, 1024] as const;
const wide = [1456, 816] as const;
const tall = [816, 1456] as const;

const buttons = ['U1', 'U2', 'U3', 'U4', '🔄', 'V1', 'V2', 'V3', 'V4'].map((label, at) => ({
  customId: `MJ::JOB::upsample::${at}::uuid`,
  emoji: label === '🔄' ? label : '',
  label: label === '🔄' ? '' : label,
  style: 2,
  type: 2,
}));

function taskOf(id: number, secondsAgo: number, change: Partial<Task>): Task {
  const now = Math.floor(Date.now() / 1000);
  const submit = now - secondsAgo;
  const done = change.status === undefined || change.status === 'SUCCESS' || change.status === 'FAILURE';
  return {
    id,
    task_id: String(1_740_220_100_000_000_000n + BigInt(id) * 137_100_003n),
    platform: 'midjourney',
    action: 'IMAGINE',
    model: 'mj_imagine',
    mode: 'fast',
    status: 'SUCCESS',
    progress: 100,
    created_at: submit,
    updated_at: submit + 42,
    submit_time: submit,
    start_time: submit + 2,
    finish_time: done ? submit + 42 : 0,
    fail_reason: '',
    prompt: '',
    prompt_en: '',
    description: '',
    state: '',
    buttons: [],
    media: [],
    data: null,
    properties: {},
    quota: 40_000,
    cancellable: false,
    refunded: false,
    refund_reference: '',
    request_id: '2026112017380742d1c9a4',
    user_id: 1,
    username: 'liu.wei',
    token_id: 1,
    token_name: 'prod-agent',
    channel_id: 33,
    channel_name: 'mj-account-pool-eu',
    parent_task_id: '',
    ...change,
  };
}

const image = (hue: number, size: readonly [number, number] = square, cells = 1): TaskMedia[] => [
  { kind: 'image', url: picture(hue, size, cells), cover: '', title: '', stored: false },
];

const failure = (reason: string): Partial<Task> => ({ status: 'FAILURE', fail_reason: reason, refunded: true });

export const imageTasks = (): Task[] => [
  taskOf(30, 7, {
    status: 'QUEUED',
    progress: 0,
    prompt: '一组扁平风格的天气图标，16 个，统一线宽',
    username: 'marketing',
    cancellable: true,
  }),
  taskOf(29, 12, { status: 'IN_PROGRESS', progress: 27, prompt: '雪地里的红色小屋，航拍，清晨', username: 'user1040' }),
  taskOf(28, 31, {
    status: 'IN_PROGRESS',
    progress: 64,
    prompt: 'A narrow lane in Kyoto in autumn, stone pavement, warm lanterns, against the light --ar 3:2',
    media: image(20, wide, 2),
  }),
  taskOf(27, 240, {
    prompt: '黄昏的山谷，远处有一条河，胶片颗粒，宽银幕构图 --ar 16:9',
    prompt_en: 'A valley at dusk, a river far away, film grain, wide screen --ar 16:9',
    media: image(265, wide, 2),
    buttons,
  }),
  taskOf(26, 660, {
    action: 'UPSCALE',
    model: 'mj_upscale',
    quota: 10_000,
    prompt: 'Handmade clay vase, soft side light, beige background, product photo',
    media: image(25),
    username: 'marketing',
    parent_task_id: '1740223519700083902',
    buttons: buttons.slice(4),
  }),
  taskOf(25, 840, {
    prompt: '一位名人站在自家门口，纪实摄影',
    ...failure('The provider refused the content: the prompt is about a real person'),
    username: 'user1054',
  }),
  taskOf(24, 1300, { prompt: '春茶海报，留白，一杯热茶，水彩质感，竖排标题留空', media: image(100, tall) }),
  taskOf(23, 2600, { action: 'VARIATION', prompt: '清晨海面上的一艘白色小帆船，极简插画', media: image(195, wide) }),
  taskOf(22, 3400, {
    prompt: 'Night city after rain, neon reflections, from above, cyberpunk --v 7',
    media: image(240, square, 2),
    finish_time: Math.floor(Date.now() / 1000) - 3328,
    username: 'yamada.taro',
  }),
  taskOf(21, 3700, {
    action: 'UPSCALE',
    prompt: '雾中的针叶林，日出前，低饱和',
    media: image(130, wide),
    quota: 10_000,
  }),
  taskOf(20, 4200, {
    action: 'REROLL',
    prompt: '把上一张图的背景换成雪山',
    ...failure('No result within 300 seconds'),
  }),
  taskOf(19, 1.2 * DAY, { prompt: '极简雪山海报，留白，上方可放标题', media: image(210, square) }),
  taskOf(18, 1.4 * DAY, {
    action: 'DESCRIBE',
    prompt: '',
    description: '1️⃣ Three clay bowls on a table',
    media: image(40),
  }),
];

const lyrics = `[Verse 1]
Neon on the window, the platform slides away
Paper cup of coffee and the last light of the day

[Chorus]
Night train to Kyoto, carry me slow
Every quiet station is a name I used to know`;

const song = (id: string, duration: number) => ({
  id,
  title: 'Night train to Kyoto',
  audio_url: `https://cdn.example/${id}.mp3`,
  metadata: { tags: 'city pop, female voice, 104 bpm', duration, prompt: lyrics },
});

/** Half a second of silence. */
const silence = `data:audio/wav;base64,${Buffer.concat([
  Buffer.from(
    'RIFF\x24\x10\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x40\x1f\0\0\x01\0\x08\0data\xa0\x0f\0\0',
    'latin1',
  ),
  Buffer.alloc(4000, 128),
]).toString('base64')}`;

const file = (kind: TaskMedia['kind'], hue: number, title = ''): TaskMedia => ({
  kind,
  url: silence,
  cover: picture(hue, kind === 'audio' ? square : wide),
  title,
  stored: false,
});

const suno: Partial<Task> = { platform: 'suno', action: 'MUSIC', model: 'chirp-v3-5', mode: null, quota: 100_000 };
const kling: Partial<Task> = { platform: 'kling', action: 'TEXT2VIDEO', model: 'kling-video_v1_std_5', mode: null };
const words: Partial<Task> = { ...suno, action: 'LYRICS', model: 'suno_lyrics', quota: 5000 };

export const otherTasks = (): Task[] => [
  taskOf(60, 300, {
    ...suno,
    prompt: 'A slow song about the night train to Kyoto',
    media: [file('audio', 250, 'Night train to Kyoto'), file('audio', 30, 'Night train to Kyoto')],
    data: [song('8a41', 172), song('9b52', 184)],
    finish_time: Math.floor(Date.now() / 1000) - 172,
  }),
  taskOf(59, 420, {
    ...kling,
    prompt: '海上的白色小帆船，镜头缓慢推近',
    media: [{ ...file('video', 200), url: '/mj/image/none' }],
    quota: 175_000,
  }),
  taskOf(58, 600, {
    ...words,
    prompt: 'A farewell at the harbour',
    data: { title: 'Harbour lights', text: lyrics },
  }),
  taskOf(57, 70, { ...suno, status: 'IN_PROGRESS', progress: 58, prompt: 'Lo-fi loop for a product demo, no vocals' }),
  taskOf(56, 20, { ...kling, status: 'QUEUED', progress: 0, prompt: 'Steam rises from a cup of green tea, macro' }),
  taskOf(55, 900, { ...kling, prompt: 'Crowd at a concert, handheld', ...failure('Content policy'), quota: 175_000 }),
  taskOf(54, 1500, { ...suno, status: 'UNKNOWN', progress: 0, prompt: 'Birthday song for Ana, samba' }),
  ...Array.from({ length: 9 }, (_, at) =>
    taskOf(50 - at, (at + 1) * 0.4 * DAY, {
      ...(at % 3 === 2 ? words : at % 3 === 1 ? kling : suno),
      prompt: ['Jingle, eight bars, brass', 'Walk through a bamboo grove', 'A lullaby for a robot'][at % 3] ?? '',
    }),
  ),
];
