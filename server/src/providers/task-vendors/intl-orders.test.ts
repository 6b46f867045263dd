import { describe, expect, test } from 'vitest';
import type { TaskOperation, TaskOrder } from '../task-operation.ts';
import { inputOf, type VendorName, vendors, vertexCall } from '#providers/testing/intl-vendors.ts';
import { polledTaskOf, vendorCallOf, videoOrder } from '#providers/testing/task-orders.ts';
import { BadTaskRequest, type VideoOrder } from '../video-order.ts';

const png = { base64: 'UE5H', type: 'image/png' };
const link = { url: 'https://pictures.example/a.png' };
const dataUrl = 'data:image/png;base64,UE5H';
const veoPath = '/v1/projects/my-project/locations/us-central1/publishers/google/models/veo-3.1-generate-001';
const hook = { notifyUrl: 'https://hub.example/mj/notify/1/s' };

const { lumaDreamMachine, stabilityUpscale, vertexVeo } = vendors;

interface SentCase {
  name: VendorName;
  model: string;
  video: Partial<VideoOrder>;
  more?: Partial<TaskOrder>;
  path: string;
  body: object;
  /** The first name that is looked up per second. */
  price?: string;
  seconds?: number;
}

const sent: SentCase[] = [
  {
    name: 'vertexVeo',
    model: 'veo-3.1-generate-001',
    video: {
      seconds: 6,
      resolution: '1080p',
      ratio: '9:16',
      firstFrame: { url: 'gs://b/a.png' },
      references: [png],
      audio: false,
      seed: 7,
      negativePrompt: 'dogs',
      extra: { personGeneration: 'allow_adult' },
    },
    path: `${veoPath}:predictLongRunning`,
    body: {
      instances: [
        {
          prompt: 'a cat',
          image: { gcsUri: 'gs://b/a.png', mimeType: 'image/png' },
          referenceImages: [{ image: { bytesBase64Encoded: 'UE5H', mimeType: 'image/png' }, referenceType: 'ASSET' }],
        },
      ],
      parameters: {
        personGeneration: 'allow_adult',
        sampleCount: 1,
        durationSeconds: 6,
        aspectRatio: '9:16',
        resolution: '1080p',
        negativePrompt: 'dogs',
        seed: 7,
        generateAudio: false,
      },
    },
    price: 'veo-3.1-generate-001_1080p_second',
    seconds: 6,
  },
  {
    name: 'geminiVeo',
    model: 'veo-3.1-generate-001',
    video: { firstFrame: png, lastFrame: png },
    path: '/v1beta/models/veo-3.1-generate-001:predictLongRunning',
    body: {
      instances: [
        {
          prompt: 'a cat',
          image: { bytesBase64Encoded: 'UE5H', mimeType: 'image/png' },
          lastFrame: { bytesBase64Encoded: 'UE5H', mimeType: 'image/png' },
        },
      ],
      parameters: { sampleCount: 1, durationSeconds: 8, aspectRatio: '16:9', resolution: '720p' },
    },
    price: 'veo-3.1-generate-001_720p_second',
    seconds: 8,
  },
  {
    name: 'geminiInteractions',
    model: 'gemini-omni-1.2-flash',
    video: { seconds: 12, resolution: '360p', references: [link], seed: 3 },
    path: '/v1beta/interactions',
    body: {
      model: 'gemini-omni-1.2-flash',
      input: [
        { type: 'text', text: 'a cat' },
        { type: 'image', uri: link.url },
      ],
      response_format: { type: 'video', aspect_ratio: '16:9', duration: '12s', resolution: '360p', delivery: 'uri' },
      generation_config: { seed: 3, video_config: { task: 'reference_to_video' } },
      background: true,
    },
    price: 'gemini-omni-1.2-flash_360p_second',
    seconds: 12,
  },
  {
    name: 'geminiInteractions',
    model: 'gemini-omni-1.1-flash',
    video: { kind: 'remix' },
    more: { parentId: 'v1_parent' },
    path: '/v1beta/interactions',
    body: {
      model: 'gemini-omni-1.1-flash',
      input: 'a cat',
      response_format: { type: 'video', aspect_ratio: '16:9', duration: '8s', resolution: '720p', delivery: 'uri' },
      generation_config: { video_config: { task: 'edit' } },
      background: true,
      previous_interaction_id: 'v1_parent',
    },
  },
  {
    name: 'runwayTasks',
    model: 'gen4_turbo',
    video: { firstFrame: png, lastFrame: link, ratio: '21:9', seconds: 10, seed: 1 },
    path: '/v1/image_to_video',
    body: {
      model: 'gen4_turbo',
      promptText: 'a cat',
      ratio: '1584:672',
      duration: 10,
      promptImage: [
        { uri: dataUrl, position: 'first' },
        { uri: link.url, position: 'last' },
      ],
      seed: 1,
    },
    price: 'gen4_turbo_720p_second',
    seconds: 10,
  },
  {
    name: 'runwayTasks',
    model: 'gen4.5',
    video: { size: { width: 832, height: 1104 }, resolution: '720p', ratio: '52:69' },
    path: '/v1/text_to_video',
    body: { model: 'gen4.5', promptText: 'a cat', ratio: '832:1104', duration: 5 },
    price: 'gen4.5_720p_second',
    seconds: 5,
  },
  {
    name: 'lumaAgents',
    model: 'ray-3.2',
    video: { seconds: 10, resolution: '1080p', ratio: '1:1', firstFrame: png, lastFrame: link, extra: { loop: true } },
    path: '/v1/generations',
    body: {
      model: 'ray-3.2',
      type: 'video',
      prompt: 'a cat',
      aspect_ratio: '1:1',
      video: {
        loop: true,
        resolution: '1080p',
        duration: '10s',
        start_frame: { data: 'UE5H', media_type: 'image/png' },
        end_frame: { url: link.url },
      },
    },
    price: 'ray-3.2_1080p_second',
    seconds: 10,
  },
  {
    name: 'lumaDreamMachine',
    model: 'ray-2',
    video: { firstFrame: link },
    more: hook,
    path: '/dream-machine/v1/generations/video',
    body: {
      model: 'ray-2',
      prompt: 'a cat',
      duration: '5s',
      resolution: '720p',
      keyframes: { frame0: { type: 'image', url: link.url } },
      callback_url: hook.notifyUrl,
    },
    price: 'ray-2_720p_second',
    seconds: 5,
  },
  {
    name: 'xaiVideos',
    model: 'grok-imagine-video-1.5',
    video: { seconds: 15, resolution: '1080p', ratio: '16:9', firstFrame: png },
    path: '/v1/videos/generations',
    body: {
      model: 'grok-imagine-video-1.5',
      prompt: 'a cat',
      duration: 15,
      resolution: '1080p',
      aspect_ratio: '16:9',
      image: { url: dataUrl },
    },
    price: 'grok-imagine-video-1.5_1080p_second',
    seconds: 15,
  },
  {
    name: 'xaiVideos',
    model: 'grok-imagine-video',
    video: { kind: 'extend', video: { url: 'https://videos.example/a.mp4' } },
    path: '/v1/videos/extensions',
    body: {
      model: 'grok-imagine-video',
      prompt: 'a cat',
      duration: 5,
      resolution: '480p',
      video: { url: 'https://videos.example/a.mp4' },
    },
  },
  {
    name: 'replicatePredictions',
    model: 'minimax/video-01',
    video: {
      seconds: 6,
      resolution: '768p',
      ratio: '9:16',
      firstFrame: link,
      seed: 2,
      negativePrompt: 'dogs',
      extra: { prompt_optimizer: true },
    },
    more: hook,
    path: '/v1/models/minimax/video-01/predictions',
    body: {
      input: {
        prompt_optimizer: true,
        prompt: 'a cat',
        negative_prompt: 'dogs',
        duration: 6,
        resolution: '768p',
        aspect_ratio: '9:16',
        image: link.url,
        seed: 2,
      },
      webhook: hook.notifyUrl,
      webhook_events_filter: ['completed'],
    },
    price: 'minimax/video-01_768p_second',
    seconds: 6,
  },
  {
    name: 'replicatePredictions',
    model: 'someone/theirs:0123456789abcdef',
    video: {},
    more: { notifyUrl: 'http://hub.example/plain' },
    path: '/v1/predictions',
    body: { version: 'someone/theirs:0123456789abcdef', input: { prompt: 'a cat' } },
  },
  {
    name: 'falQueue',
    model: 'fal-ai/kling-video/v2/master/text-to-video',
    video: { seconds: 5, firstFrame: png, ratio: '1:1' },
    more: hook,
    path: `/fal-ai/kling-video/v2/master/text-to-video?fal_webhook=${encodeURIComponent(hook.notifyUrl)}`,
    body: { prompt: 'a cat', duration: '5', aspect_ratio: '1:1', image_url: dataUrl },
    price: 'fal-ai/kling-video/v2/master/text-to-video_second',
    seconds: 5,
  },
];

describe('orders become requests of the vendors', () => {
  test.each(sent)('$name: $model $video', ({ name, model, video, more, path, body, price, seconds }) => {
    const operation: TaskOperation = vendors[name];
    const order = videoOrder(video, more);
    const request = operation.submit(order, inputOf(name, model));
    expect(request).toMatchObject({ method: 'POST', path });
    expect(request.body).toEqual(body);
    expect(operation.serves?.({ ...inputOf(name, model) }) ?? true).toBe(true);
    const quote = operation.quote?.(order, model);
    if (price === undefined) return;
    expect(quote?.seconds).toBe(seconds);
    expect(quote?.prices.find(({ perSecond }) => perSecond)?.name).toBe(price);
  });

  test('an upscale is a form', () => {
    const { form, path } = stabilityUpscale.submit(
      videoOrder({ firstFrame: png, extra: { creativity: 0.3 }, seed: 4 }),
      vendorCallOf('stable-image-upscale-creative'),
    );
    expect(path).toBe('/stable-image/upscale/creative');
    expect([...(form?.keys() ?? [])]).toEqual(['image', 'creativity', 'prompt', 'seed']);
    expect(form?.get('image')).toMatchObject({ size: 3, type: 'image/png' });
  });

  test('Google and Luma are asked at the hosts of region and age', () => {
    const { baseUrl } = vertexVeo.submit(videoOrder({}), vertexCall('veo-3.1-generate-001'));
    expect(baseUrl).toBe('https://us-central1-aiplatform.googleapis.com');
    const poll = vertexVeo.poll(
      [polledTaskOf('projects/p/locations/eu-west4/publishers/google/models/veo-3/operations/9')],
      vertexCall('veo-3'),
    );
    expect(poll).toEqual({
      method: 'POST',
      baseUrl: 'https://eu-west4-aiplatform.googleapis.com',
      path: '/v1/projects/p/locations/eu-west4/publishers/google/models/veo-3:fetchPredictOperation',
      body: { operationName: 'projects/p/locations/eu-west4/publishers/google/models/veo-3/operations/9' },
    });
    expect(
      lumaDreamMachine.submit(videoOrder({}), vendorCallOf('ray-2', { baseUrl: 'https://agents.lumalabs.ai' })).baseUrl,
    ).toBe('https://api.lumalabs.ai');
    expect(
      lumaDreamMachine.submit(videoOrder({}), vendorCallOf('ray-2', { baseUrl: 'https://proxy.example' })).baseUrl,
    ).toBe('https://proxy.example');
  });
});

describe('what a vendor cannot do is refused, not dropped', () => {
  test.each<[VendorName, string, Partial<VideoOrder> | undefined, string]>([
    ['vertexVeo', 'veo-3.1-generate-001', undefined, 'action'],
    ['vertexVeo', 'veo-3.1-generate-001', { firstFrame: link }, 'firstFrame'],
    ['vertexVeo', 'veo-3.1-generate-001', { seconds: 7 }, 'seconds'],
    ['vertexVeo', 'veo-2.0-generate-001', { resolution: '1080p' }, 'resolution'],
    ['vertexVeo', 'veo-2.0-generate-001', { audio: true }, 'audio'],
    ['vertexVeo', 'veo-3.1-generate-001', { extra: { storageUri: 'gs://theirs' } }, 'storageUri'],
    ['vertexVeo', 'veo-3.1-generate-001', { extra: { sampleCount: 4 } }, 'sampleCount'],
    ['vertexVeo', 'veo-3.1-generate-001', { references: [png, png, png, png] }, 'references'],
    ['vertexVeo', 'veo-3.1-generate-001', { kind: 'extend' }, 'video'],
    ['geminiVeo', 'veo-3.1-generate-001', { audio: false }, 'audio'],
    ['geminiVeo', 'veo-3.1-generate-001', { seed: 1 }, 'seed'],
    ['geminiInteractions', 'gemini-omni-1.1-flash', { seconds: 12 }, 'seconds'],
    ['geminiInteractions', 'gemini-omni-1.1-flash', { kind: 'remix' }, 'video'],
    ['geminiInteractions', 'gemini-omni-1.1-flash', { extra: { service_tier: 'priority' } }, 'service_tier'],
    ['runwayTasks', 'gen4.5', { kind: 'edit' }, 'kind'],
    ['runwayTasks', 'gen4.5', { lastFrame: png }, 'lastFrame'],
    ['runwayTasks', 'gen4.5', { ratio: '2:1' }, 'ratio'],
    ['lumaAgents', 'ray-3.2', { seconds: 7 }, 'seconds'],
    ['lumaAgents', 'ray-3.2', { extra: { hdr: true } }, 'hdr'],
    ['lumaAgents', 'ray-3.2', { extra: { loop: { once: 1 } } }, 'loop'],
    ['lumaDreamMachine', 'ray-2', { firstFrame: png }, 'firstFrame'],
    ['lumaDreamMachine', 'ray-2', { extra: { callback_url: 'https://evil.example' } }, 'callback_url'],
    ['xaiVideos', 'grok-imagine-video', { resolution: '1080p' }, 'resolution'],
    ['xaiVideos', 'grok-imagine-video', { quality: 'pro' }, 'quality'],
    ['replicatePredictions', 'minimax/video-01', { extra: { duration: 60 } }, 'duration'],
    ['replicatePredictions', '../../v1/account', {}, 'model'],
    ['falQueue', 'fal-ai/../x', {}, 'model'],
    ['falQueue', 'fal-ai/x', { lastFrame: png }, 'lastFrame'],
    ['stabilityUpscale', 'stable-image-upscale-creative', {}, 'firstFrame'],
  ])('%s %s %o: %s', (name, model, video, param) => {
    const run = () => vendors[name].submit(videoOrder(video), inputOf(name, model));
    expect(run).toThrow(BadTaskRequest);
    expect(run).toThrow(expect.objectContaining({ param }) as Error);
  });
});
