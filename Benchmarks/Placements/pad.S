/* Nothing, so many bytes of it: what is linked behind it is moved by as much, code and data. */
    .globl PAD_NAME
    .text
PAD_NAME:
    .skip PAD_SIZE, 0x90
    .data
    .skip PAD_SIZE
    .section .note.GNU-stack, "", %progbits
