-- Origins (https://shop.example.com) whose pages may show the payment page in a frame; none unless the merchant lists them.
alter table hosted_pages add column frame_origins text[] not null default '{}';
