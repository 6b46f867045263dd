import { describe, expect, test } from 'vitest';
import type { TaskOperation, TaskOrder, TaskRequest } from '../task-operation.ts';
import { polledTaskOf, vendorCallOf, videoOrder } from '../testing/task-orders.ts';
import { BadTaskRequest, type VideoOrder } from '../video-order.ts';
import { arkTasks } from './ark-video.ts';
import { dashScopeTasks } from './dashscope-video.ts';
import { jimengTasks } from '#providers/adapters/jimeng.ts';
import { klingLegacyTasks } from './kling-legacy.ts';
import { klingTasks } from './kling.ts';
import { miniMaxTasks, miniMaxV2Tasks } from './minimax-videos.ts';
import { viduTasks } from '#providers/adapters/vidu.ts';
import { zhipuTasks } from './zhipu-video.ts';

const url = 'https://img.example/a.png';
const picture = { url };
const bytes = { base64: 'iVBORw0KGgo=', type: 'image/png' };
const notifyUrl = 'https://hub.example/hook';

const wanPath = '/api/v1/services/aigc/video-generation/video-synthesis';
const jimengPath = '/?Action=CVSync2AsyncSubmitTask&Version=2022-08-31';
const async = { 'x-dashscope-async': 'enable' };

type RequestCase = [
  what: string,
  operation: TaskOperation,
  model: string,
  video: Partial<VideoOrder>,
  path: string,
  body: object,
  more?: Partial<TaskOrder>,
];

describe('the request for a video', () => {
  test.each<RequestCase>([
    [
      'Kling, older API, text',
      klingLegacyTasks,
      'kling-v2-6',
      {
        negativePrompt: 'dogs',
        resolution: '1080p',
        seconds: 10,
        ratio: '9:16',
        audio: true,
        extra: { cfg_scale: 0.5 },
      },
      '/v1/videos/text2video',
      {
        prompt: 'a cat',
        negative_prompt: 'dogs',
        cfg_scale: 0.5,
        aspect_ratio: '9:16',
        model_name: 'kling-v2-6',
        mode: 'pro',
        duration: '10',
        sound: 'on',
        external_task_id: 'task_1',
        callback_url: notifyUrl,
      },
      { notifyUrl },
    ],
    [
      'Kling, older API, frames as bytes, by a name with mode and length',
      klingLegacyTasks,
      'kling-video_kling-v2-5-turbo_pro_10',
      { firstFrame: bytes, lastFrame: picture },
      '/v1/videos/image2video',
      {
        prompt: 'a cat',
        image: 'iVBORw0KGgo=',
        image_tail: url,
        model_name: 'kling-v2-5-turbo',
        mode: 'pro',
        duration: '10',
        external_task_id: 'task_1',
      },
    ],
    [
      'Kling, older API, references',
      klingLegacyTasks,
      'kling-v3',
      { references: [picture, bytes], seconds: 3 },
      '/v1/videos/multi-image2video',
      {
        prompt: 'a cat',
        image_list: [{ image: url }, { image: 'iVBORw0KGgo=' }],
        aspect_ratio: '16:9',
        model_name: 'kling-v3',
        mode: 'std',
        duration: '3',
        sound: 'off',
        external_task_id: 'task_1',
      },
    ],
    [
      'Kling, newer API, text',
      klingTasks,
      'kling-3.0',
      { resolution: '4k', audio: true, extra: { multi_shot: false } },
      '/text-to-video/kling-3.0',
      {
        prompt: 'a cat',
        settings: { resolution: '4k', duration: 5, audio: 'native', aspect_ratio: '16:9', multi_shot: false },
        options: { external_task_id: 'task_1', callback_url: notifyUrl },
      },
      { notifyUrl },
    ],
    [
      'Kling, newer API, frames of an omni model',
      klingTasks,
      'kling-o1',
      { firstFrame: picture, lastFrame: bytes, quality: 'pro', seconds: 3 },
      '/omni-video/kling-o1',
      {
        contents: [
          { type: 'prompt', text: 'a cat' },
          { type: 'first_frame', url },
          { type: 'last_frame', url: 'iVBORw0KGgo=' },
        ],
        settings: { resolution: '1080p', duration: 3, audio: 'off' },
        options: { external_task_id: 'task_1' },
      },
    ],
    [
      'MiniMax v1',
      miniMaxTasks,
      'MiniMax-Hailuo-2.3',
      { firstFrame: bytes, seconds: 10, extra: { prompt_optimizer: false } },
      '/v1/video_generation',
      {
        model: 'MiniMax-Hailuo-2.3',
        prompt: 'a cat',
        prompt_optimizer: false,
        duration: 10,
        resolution: '768P',
        first_frame_image: 'data:image/png;base64,iVBORw0KGgo=',
      },
      { notifyUrl },
    ],
    [
      'MiniMax v1, a person',
      miniMaxTasks,
      'S2V-01',
      { references: [picture] },
      '/v1/video_generation',
      {
        model: 'S2V-01',
        prompt: 'a cat',
        duration: 6,
        resolution: '720P',
        subject_reference: [{ type: 'character', image: [url] }],
      },
    ],
    [
      'MiniMax v2, text',
      miniMaxV2Tasks,
      'MiniMax-H3',
      { resolution: '2k', seconds: 15 },
      '/v2/video_generation',
      {
        model: 'MiniMax-H3',
        content: [{ type: 'text', text: 'a cat' }],
        duration: 15,
        resolution: '2K',
        ratio: '16:9',
      },
    ],
    [
      'MiniMax v2, references',
      miniMaxV2Tasks,
      'MiniMax-H3-Max',
      { references: [picture] },
      '/v2/video_generation',
      {
        model: 'MiniMax-H3-Max',
        content: [
          { type: 'text', text: 'a cat' },
          { type: 'image_url', image_url: { url }, role: 'reference_image' },
        ],
        duration: 5,
        resolution: '768P',
      },
    ],
    [
      'Zhipu',
      zhipuTasks,
      'cogvideox-3',
      { firstFrame: picture, lastFrame: bytes, quality: 'quality', audio: true, resolution: '4k', ratio: '16:9' },
      '/videos/generations',
      {
        model: 'cogvideox-3',
        prompt: 'a cat',
        duration: 5,
        with_audio: true,
        quality: 'quality',
        size: '3840x2160',
        image_url: [url, 'data:image/png;base64,iVBORw0KGgo='],
        request_id: 'task_1',
      },
    ],
    [
      'Zhipu, a model of Vidu',
      zhipuTasks,
      'viduq1-image',
      { firstFrame: picture, ratio: '1:1', extra: { style: 'anime' } },
      '/videos/generations',
      {
        model: 'viduq1-image',
        prompt: 'a cat',
        style: 'anime',
        duration: 5,
        with_audio: false,
        aspect_ratio: '1:1',
        image_url: url,
        request_id: 'task_1',
      },
    ],
    [
      'Wan before 2.7, text',
      dashScopeTasks,
      'wan2.5-t2v-preview',
      { negativePrompt: 'dogs', ratio: '9:16', resolution: '1080p', seed: 7, audio: false },
      wanPath,
      {
        model: 'wan2.5-t2v-preview',
        input: { prompt: 'a cat', negative_prompt: 'dogs' },
        parameters: { size: '1080*1920', duration: 5, audio: false, seed: 7 },
      },
    ],
    [
      'Wan 2.7, frames',
      dashScopeTasks,
      'wan2.7-i2v',
      { firstFrame: picture, lastFrame: picture, seconds: 10, extra: { watermark: true } },
      wanPath,
      {
        model: 'wan2.7-i2v',
        input: {
          prompt: 'a cat',
          media: [
            { type: 'first_frame', url },
            { type: 'last_frame', url },
          ],
        },
        parameters: { watermark: true, resolution: '720P', duration: 10 },
      },
    ],
    [
      'Wan before 2.7, a frame',
      dashScopeTasks,
      'wan2.2-i2v-plus',
      { firstFrame: picture },
      wanPath,
      {
        model: 'wan2.2-i2v-plus',
        input: { prompt: 'a cat', img_url: url },
        parameters: { resolution: '720P', duration: 5 },
      },
    ],
    [
      'Seedance',
      arkTasks,
      'doubao-seedance-2-0-260128',
      { firstFrame: picture, seconds: 4, seed: 0, extra: { watermark: false } },
      '/contents/generations/tasks',
      {
        model: 'doubao-seedance-2-0-260128',
        watermark: false,
        content: [
          { type: 'text', text: 'a cat' },
          { type: 'image_url', image_url: { url }, role: 'first_frame' },
        ],
        resolution: '720p',
        ratio: 'adaptive',
        duration: 4,
        generate_audio: false,
        seed: 0,
        execution_expires_after: 3600,
        callback_url: notifyUrl,
      },
      { notifyUrl },
    ],
    [
      'Seedance 1.0, options in the text',
      arkTasks,
      'doubao-seedance-1-0-pro-250528',
      { resolution: '1080p', ratio: '21:9' },
      '/contents/generations/tasks',
      {
        model: 'doubao-seedance-1-0-pro-250528',
        content: [{ type: 'text', text: 'a cat --rs 1080p --dur 5 --rt 21:9' }],
        execution_expires_after: 3600,
      },
    ],
    [
      'Jimeng, text',
      jimengTasks,
      'jimeng_t2v_v30_1080p',
      { seconds: 10, resolution: '1080p', ratio: '1:1', seed: 3 },
      jimengPath,
      { req_key: 'jimeng_t2v_v30_1080p', prompt: 'a cat', frames: 241, aspect_ratio: '1:1', seed: 3 },
    ],
    [
      'Jimeng, frames as bytes',
      jimengTasks,
      'jimeng_i2v_first_tail_v30',
      { firstFrame: bytes, lastFrame: bytes },
      jimengPath,
      {
        req_key: 'jimeng_i2v_first_tail_v30',
        prompt: 'a cat',
        frames: 121,
        binary_data_base64: ['iVBORw0KGgo=', 'iVBORw0KGgo='],
      },
    ],
    [
      'Vidu, references',
      viduTasks,
      'viduq3-pro',
      { references: [picture, bytes], audio: true, seconds: 16, ratio: '4:3' },
      '/reference2video',
      {
        model: 'viduq3-pro',
        prompt: 'a cat',
        duration: 16,
        resolution: '720p',
        images: [url, 'data:image/png;base64,iVBORw0KGgo='],
        aspect_ratio: '4:3',
        audio: true,
        off_peak: false,
        payload: 'task_1',
        callback_url: notifyUrl,
      },
      { notifyUrl },
    ],
    [
      'Vidu, frames',
      viduTasks,
      'viduq1',
      { firstFrame: picture, lastFrame: picture, extra: { off_peak: true } },
      '/start-end2video',
      {
        model: 'viduq1',
        prompt: 'a cat',
        duration: 5,
        resolution: '1080p',
        images: [url, url],
        off_peak: true,
        payload: 'task_1',
      },
    ],
  ])('%s', (_, operation, model, video, path, body, more) => {
    const expected: TaskRequest = { method: 'POST', path, body: body as NonNullable<TaskRequest['body']> };
    expect(operation.submit(videoOrder(video, more), vendorCallOf(model))).toEqual(
      operation === dashScopeTasks ? { ...expected, headers: async } : expected,
    );
  });

  test('of Wan goes to the root of the host, although a channel may name the compatible mode', () => {
    const call = vendorCallOf('wan2.7-t2v', { baseUrl: 'https://dashscope.example/compatible-mode/v1' });
    const baseUrl = 'https://dashscope.example';
    expect(dashScopeTasks.submit(videoOrder({}), call)).toMatchObject({ baseUrl, path: wanPath });
    expect(dashScopeTasks.poll([polledTaskOf('a/b')], call)).toEqual({
      method: 'GET',
      path: '/api/v1/tasks/a%2Fb',
      baseUrl,
    });
  });

  test('in Kling’s own form passes through, without addresses and ids', () => {
    const body = {
      model_name: 'kling-v2-6',
      prompt: 'a cat',
      camera_control: { type: 'simple', config: { zoom: 5 } },
      mode: 'pro',
      duration: 10,
      sound: 'on',
      callback_url: 'https://me.example',
      external_task_id: 'mine',
    };
    const order = videoOrder({}, { platform: 'kling', kind: 'text2video', body });
    const model = 'kling-video_kling-v2-6_pro_10';
    expect(klingLegacyTasks.submit(order, vendorCallOf(model))).toEqual({
      method: 'POST',
      path: '/v1/videos/text2video',
      body: {
        model_name: 'kling-v2-6',
        prompt: 'a cat',
        camera_control: { type: 'simple', config: { zoom: 5 } },
        mode: 'pro',
        duration: '10',
        sound: 'on',
        external_task_id: 'task_1',
      },
    });
    const quoted = (billed: string, upstream: string) => klingLegacyTasks.quote?.(order, billed, upstream).prices[0];
    expect(quoted('mine', model)).toEqual({ name: 'kling-video_mine_pro_10_audio', perSecond: false });
    expect(() => quoted('mine', 'kling-video_kling-v2-6_std_10')).toThrow(BadTaskRequest);
    const extended = { ...order, kind: 'video-extend', body: { video_id: 'v', prompt: 'go on', duration: '5' } };
    expect(klingLegacyTasks.submit(extended, vendorCallOf('kling-v2-6'))).toEqual({
      method: 'POST',
      path: '/v1/videos/video-extend',
      body: { video_id: 'v', prompt: 'go on' },
    });
    const odd = { ...order, body: { ...body, resolution: '4k' } };
    expect(() => klingLegacyTasks.submit(odd, vendorCallOf('kling-v2-6'))).toThrow(/'resolution' cannot be set/);
  });
});

describe('what the vendor cannot do, or what would change the price, is refused by name', () => {
  test.each<[TaskOperation, string, Partial<VideoOrder>, string]>([
    [klingLegacyTasks, 'kling-v2-5-turbo', { audio: true }, 'audio'],
    [klingLegacyTasks, 'kling-v2-6', { seconds: 7 }, 'seconds'],
    [klingLegacyTasks, 'kling-v2-6', { resolution: '4k' }, 'quality'],
    [klingLegacyTasks, 'kling-v2-6', { resolution: '1080p', quality: 'std' }, 'resolution'],
    [klingLegacyTasks, 'kling-v2-6', { firstFrame: picture, ratio: '1:1' }, 'ratio'],
    [klingLegacyTasks, 'kling-v2-6', { seed: 1 }, 'seed'],
    [klingLegacyTasks, 'kling-v2-6', { extra: { duration: '10' } }, 'metadata.duration'],
    [klingLegacyTasks, 'kling-video_kling-v2-6_std_5', { seconds: 10 }, 'seconds'],
    [klingTasks, 'kling-3.0-turbo', { resolution: '4k' }, 'resolution'],
    [klingTasks, 'kling-3.0', { seconds: 16 }, 'seconds'],
    [klingTasks, 'kling-3.0', { references: [picture] }, 'references'],
    [klingTasks, 'kling-3.0', { extra: { callback_url: 'https://me.example' } }, 'metadata.callback_url'],
    [miniMaxTasks, 'MiniMax-Hailuo-02', { ratio: '16:9' }, 'ratio'],
    [miniMaxTasks, 'T2V-01', { seconds: 10 }, 'seconds'],
    [miniMaxTasks, 'MiniMax-Hailuo-02', { kind: 'remix' }, 'model'],
    [miniMaxV2Tasks, 'MiniMax-H3', { resolution: '480p' }, 'resolution'],
    [miniMaxV2Tasks, 'MiniMax-H3', { references: Array.from({ length: 6 }, () => picture) }, 'references'],
    [miniMaxV2Tasks, 'MiniMax-H3', { firstFrame: picture, references: [picture] }, 'references'],
    [miniMaxV2Tasks, 'MiniMax-H3', { video: picture }, 'video'],
    [zhipuTasks, 'cogvideox-3', { extra: { fps: 60 } }, 'metadata.fps'],
    [zhipuTasks, 'cogvideox-3', { resolution: '1440p' }, 'size'],
    [dashScopeTasks, 'wan2.7-i2v', {}, 'image'],
    [dashScopeTasks, 'wan2.7-t2v', { firstFrame: picture }, 'image'],
    [dashScopeTasks, 'wan2.5-t2v-preview', { ratio: '21:9' }, 'ratio'],
    [dashScopeTasks, 'wan2.7-t2v', { seconds: 2.5 }, 'seconds'],
    [arkTasks, 'doubao-seedance-2-0-260128', { prompt: 'a cat --dur 12' }, 'prompt'],
    [arkTasks, 'doubao-seedance-2-0-260128', { seconds: -1 }, 'seconds'],
    [arkTasks, 'doubao-seedance-2-0-260128', { extra: { service_tier: 'flex' } }, 'metadata.service_tier'],
    [arkTasks, 'doubao-seedance-1-0-pro-250528', { audio: true }, 'audio'],
    [jimengTasks, 'jimeng_t2v_v30', { resolution: '1080p' }, 'resolution'],
    [jimengTasks, 'jimeng_t2v_v30', { firstFrame: picture }, 'image'],
    [jimengTasks, 'jimeng_i2v_first_v30', { firstFrame: picture, lastFrame: picture }, 'last_frame'],
    [jimengTasks, 'jimeng_i2v_first_tail_v30', { firstFrame: picture, lastFrame: bytes }, 'image'],
    [jimengTasks, 'jimeng_t2v_v30', { extra: { frames: 241 } }, 'metadata.frames'],
    [viduTasks, 'viduq1', { seconds: 8 }, 'seconds'],
    [viduTasks, 'viduq2', { audio: true }, 'audio'],
    [viduTasks, 'viduq2', { lastFrame: picture }, 'last_frame'],
    [viduTasks, 'viduq2', { extra: { payload: 'x' } }, 'metadata.payload'],
  ])('%#: %o', (operation, model, video, param) => {
    const submit = () => operation.submit(videoOrder(video), vendorCallOf(model));
    expect(submit).toThrow(BadTaskRequest);
    expect(submit).toThrow(expect.objectContaining({ param }));
  });
});

test('ids of vendors are encoded in paths', () => {
  const id = '../x?y';
  const paths = [klingLegacyTasks, klingTasks, miniMaxTasks, miniMaxV2Tasks, zhipuTasks, arkTasks, viduTasks].flatMap(
    ({ poll, cancel }) => [
      poll([polledTaskOf(id)], vendorCallOf('m')).path,
      cancel?.request(polledTaskOf(id), vendorCallOf('m')).path ?? '',
    ],
  );
  expect(paths.filter((path) => path.includes('../'))).toEqual([]);
  expect(paths.join('\n')).toContain('..%2Fx%3Fy');
});

test('lost tasks of Kling and Vidu are searched for by our id', () => {
  const order = videoOrder({ firstFrame: picture });
  const vendor = klingLegacyTasks.traits?.(order) ?? {};
  const lost = [polledTaskOf('', { vendor })];
  const call = vendorCallOf('m');
  expect(klingLegacyTasks.find?.(['task_1'], call, lost).path).toBe('/v1/videos/image2video/task_1');
  expect(klingTasks.find?.(['task_1', 'task_2'], call, lost).path).toBe('/tasks?external_task_ids=task_1,task_2');
  expect(viduTasks.find?.(['task_1'], call, lost).path).toBe('/tasks?pager.pagesz=100');
});

test('orders for off-peak hours of Vidu may take two days', () => {
  expect(viduTasks.longDeadlineS?.(videoOrder({ extra: { off_peak: true } }))).toBe(172_800);
  expect(viduTasks.longDeadlineS?.(videoOrder({}))).toBeUndefined();
});
